/** The command cannot be carried out: the message is one line for the operator, and nothing was changed. */
export class CommandError extends Error {}

export function organizationNotFound(id: string): never {
  throw new CommandError(`no such organization: ${id}`)
}
