/** What the operator asked for cannot be done; the message says why in one line, and nothing was changed. */
export class CommandError extends Error {}

export function noOrganization(id: string): never {
  throw new CommandError(`there is no organization ${id}`)
}
