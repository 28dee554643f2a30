// Written by `hippod connect AGENT`, which also updates it; taken away with --undo.
// Gives each session what hippod remembers, and has hippod remember what was said.
import { spawn } from "node:child_process"

const COMMANDS = {} // by moment of a session
const PATIENCE_MS = 10_000
const PAUSE_MS = 60_000 // until one that had no context is asked again
const MOST_SESSIONS = 500
const contexts = new Map() // by session, so that a system prompt stays what it was

/** Runs one hook; its answer is an object, empty if anything went wrong. Never throws. */
function hook(moment, told) {
  const [program, ...words] = COMMANDS[moment] ?? []
  if (!program) return Promise.resolve({})
  return new Promise((resolve) => {
    let text = ""
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] })
    const patience = setTimeout(() => child.kill(), PATIENCE_MS)
    const done = (answer) => {
      clearTimeout(patience)
      resolve(answer)
    }
    child.on("error", () => done({}))
    child.on("close", () => done(read(text)))
    child.stdout.setEncoding("utf8") // a character may come in two pieces
    child.stdout.on("data", (piece) => (text += piece))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(told))
  })
}

function read(text) {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

/** The context of a session, empty if there is none; asked for once, with what `told` returns. */
async function known(session, told) {
  const held = contexts.get(session)
  if (held && !(held.againAt < Date.now())) return held.text
  if (contexts.size >= MOST_SESSIONS) contexts.delete(contexts.keys().next().value)
  const asked = { text: Promise.resolve(told()).then((words) => hook("start", words)).then(content) }
  contexts.set(session, asked)
  // An agent whose memory was down gets it later; meanwhile no turn waits for it.
  if (!(await asked.text)) asked.againAt = Date.now() + PAUSE_MS
  return asked.text
}

function content(answer) {
  return answer.context ?? ""
}
