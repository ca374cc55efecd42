import { output } from '../backup/child.ts'

/** The command `aws` with its arguments. @returns the JSON that it prints @throws Error with what it says */
export type Aws = (...args: string[]) => Promise<unknown>

export const awsCommand: Aws = async (...args) => {
  const printed = await output('aws', [...args, '--output', 'json'])
  return JSON.parse(printed)
}

/** What AWS says of a thing that is not there, or of a secret without a value. */
export function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && /does not exist|NotFound/.test(thrown.message)
}
