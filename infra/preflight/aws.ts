import { runProgram } from '../run-program.ts'

/** The command `aws` in a region, with its arguments. @returns the JSON that it prints @throws Error with what it says */
export type Aws = (...args: string[]) => Promise<unknown>

/** The AWS command line as it is installed, with the credentials that it finds. */
export function awsCommand(region: string): Aws {
  return async (...args) =>
    JSON.parse((await runProgram('aws', [...args, '--region', region, '--output', 'json'])) || '{}')
}

/** What AWS says of a thing that is not there, or of a secret without a value. */
export function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && /does not exist|NotFound/.test(thrown.message)
}
