/** The command failed and changed nothing. Its message is one line for the operator. */
export class CommandError extends Error {}

export function organizationNotFound(id: string): never {
  throw new CommandError(`no such organization: ${id}`)
}
