import { invoke } from '../aws.ts'
import type { Context } from '../context.ts'
import { error, explain, type Finding, ok } from './check.ts'
import { type Compute, checkConnections } from './neon.ts'

interface Inspection {
  findings: Finding[]
  compute?: Compute
}

/** Lets the deployed Lambda that migrates check the database and the logins, so that no person has to read a secret. */
export async function inspect(context: Context): Promise<Inspection> {
  const { aws, stack } = context
  const none: Inspection = { findings: [ok('database', 'is checked after the stage is deployed')] }
  try {
    const found = ((await invoke(aws, `${stack}-migrate`, { check: true })) as Inspection | undefined) ?? none
    return { ...found, findings: [...found.findings, ...checkConnections(context, found.compute)] }
  } catch (thrown) {
    return { findings: [error('database', explain(thrown))] }
  }
}
