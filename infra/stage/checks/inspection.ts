import { invoke } from '../aws.ts'
import type { Context } from '../context.ts'
import { error, explain, type Finding, ok } from './check.ts'
import { type Compute, checkConnections } from './neon.ts'

export interface Inspection {
  findings: Finding[]
  compute?: Compute | undefined
}

/** Lets the deployed Lambda that migrates check the database and the logins, so that no person has to read a secret. */
export async function inspect(context: Context): Promise<Inspection> {
  const subject = 'database'
  try {
    const found = (await invoke(context.aws, `${context.stack}-migrate`, { check: true })) as Inspection | undefined
    if (!found) return { findings: [ok(subject, 'is checked after the stage is deployed')] }
    const { findings, compute } = found
    return { findings: [...findings, ...(compute ? checkConnections(context, compute) : [])], compute }
  } catch (thrown) {
    return { findings: [error(subject, explain(thrown))] }
  }
}
