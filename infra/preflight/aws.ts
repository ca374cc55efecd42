import { runProgram } from '../run-program.ts'

/** Runs `aws` with these arguments. @returns the JSON that it prints @throws Error with what it says */
export type Aws = (...args: string[]) => Promise<unknown>

export function awsCommand(region: string): Aws {
  return async (...args) =>
    JSON.parse((await runProgram('aws', [...args, '--region', region, '--output', 'json'])) || '{}')
}

/** Catches that AWS has no such resource, or the secret has no value. */
export function undefinedIfMissing(thrown: unknown): undefined {
  if (!(thrown instanceof Error && /does not exist|NotFound/.test(thrown.message))) throw thrown
}
