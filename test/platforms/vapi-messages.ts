import type { Tenant } from '../support/stand/stand.ts'

/** A caller's turn. */
export const user = (content: string) => ({ role: 'user', content })

/** A call of a tool, as the model makes it. */
export const call = (id: string, args: unknown, name = 'search_knowledge_base') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

/** The message with tool calls. */
export const tools = (...toolCallList: object[]) => ({ type: 'tool-calls', toolCallList })

/** Sends a message as Vapi does. */
export const ask = (tenant: Tenant, message: unknown) =>
  tenant.call('POST', `${tenant.knowledgeBase}/vapi`, { message })
