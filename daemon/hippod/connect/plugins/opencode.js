
export const Hippod = async ({ client }) => {
  async function parent(id) {
    try {
      return (await client.session.get({ path: { id } })).data?.parentID
    } catch {
      return undefined
    }
  }

  const told = async (sessionID) => ({ sessionID, parentID: await parent(sessionID) })

  return {
    event: async ({ event }) => {
      if (event.type === "session.idle") {
        const { sessionID } = event.properties
        if (!(await parent(sessionID))) await hook("stop", { sessionID })
      }
      if (event.type === "session.deleted") {
        const sessionID = event.properties.info.id
        contexts.delete(sessionID)
        await hook("end", { sessionID })
      }
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      if (!sessionID) return
      const context = await known(sessionID, () => told(sessionID))
      if (context) output.system.push(context)
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      contexts.delete(sessionID)
      await hook("compact", { sessionID })
    },
  }
}
