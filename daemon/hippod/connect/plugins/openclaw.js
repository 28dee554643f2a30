
const NAME = "HIPPOD.md"
/** The owner's sessions: the main one, and those of the gateway's own web page. */
const OWN = /^(main|dashboard:(?!incognito)[^:]+)$/

/** Whether a session is the owner's; what is not known to be is none: a group, a schedule, a peer. */
function isOwn(key, config) {
  const [, name] = /^agent:[^:]+:(.+)$/.exec(key ?? "") ?? []
  return name !== undefined && (OWN.test(name) || name === config?.session?.mainKey)
}

async function bootstrap({ sessionId, workspaceDir, bootstrapFiles }) {
  if (!sessionId || !Array.isArray(bootstrapFiles)) return
  const content = await known(sessionId, () => ({ sessionId, workspaceDir }))
  if (!content) return
  bootstrapFiles.push({ name: NAME, path: `${workspaceDir ?? ""}/${NAME}`, content, missing: false })
}

/** Ends the session that is over: of one that was replaced, not the one that follows. */
async function ended({ previousSessionEntry, sessionEntry }) {
  const { sessionId, sessionFile } = previousSessionEntry ?? sessionEntry ?? {}
  contexts.delete(sessionId)
  await hook("end", { sessionId, sessionFile })
}

export default async function handler(event) {
  const context = event.context ?? {}
  const name = `${event.type}:${event.action}`
  if (!isOwn(event.sessionKey, context.cfg)) return
  if (name === "agent:bootstrap") await bootstrap(context)
  if (name === "command:stop") {
    await hook("stop", { sessionId: context.sessionId ?? context.sessionEntry?.sessionId })
  }
  if (name === "session:compact:before") {
    contexts.delete(context.sessionId)
    await hook("compact", { sessionId: context.sessionId })
  }
  if (name === "command:new" || name === "command:reset" || name === "session:auto-reset") {
    await ended(context)
  }
}
