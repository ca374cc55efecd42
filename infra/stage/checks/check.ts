import { sentenceOf } from '../../command-line/sentence.ts'
import type { Program } from '../../command-line/terminal.ts'

const levels = ['ok', 'warning', 'error'] as const

export interface Finding {
  level: (typeof levels)[number]
  subject: string
  detail: string
}

export const ok = (subject: string, detail: string): Finding => ({ level: 'ok', subject, detail })
export const warning = (subject: string, detail: string): Finding => ({ level: 'warning', subject, detail })
export const error = (subject: string, detail: string): Finding => ({ level: 'error', subject, detail })
export const toWarning = (found: Finding) => (found.level === 'error' ? warning(found.subject, found.detail) : found)

/** `status` shows a check's findings, `deploy` stops at an error, and `create` repairs. */
export interface Check {
  subject: string
  /** Changes nothing. */
  judge(): Promise<Finding[]>
  /** May run again. */
  repair?: { what: string; run(): Promise<void> }
}

/** Turns a check that fails to run into an error, so that the others still run. @throws Error without credentials */
export async function findingsOf({ subject, judge }: Check): Promise<Finding[]> {
  try {
    return await judge()
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'CredentialsProviderError') throw thrown
    return [error(subject, explain(thrown))]
  }
}

/** @returns all findings, the errors last */
export async function judgeAll(checks: readonly Check[]): Promise<Finding[]> {
  const findings = (await Promise.all(checks.map(findingsOf))).flat()
  return findings.toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level))
}

/** Judges everything first. @returns for each check what exists, or what there is to do */
export async function stepsOf(checks: readonly Check[]) {
  const steps = checks.map(async (check) => {
    const findings = await findingsOf(check)
    const isDone = !check.repair || findings.every(({ level }) => level === 'ok')
    const found = findings.map(({ detail }) => detail).join(', ')
    return { ...check, isDone, what: isDone ? found : check.repair!.what }
  })
  return await Promise.all(steps)
}

export async function carryOut(program: Program, steps: Awaited<ReturnType<typeof stepsOf>>): Promise<void> {
  for (const { subject, what, repair } of steps.filter(({ isDone }) => !isDone)) {
    program.warn(`${subject}: ${what}`)
    await repair!.run()
  }
}

export const errorsIn = (findings: readonly Finding[]) => findings.filter(({ level }) => level === 'error')

export function show(program: Program, findings: readonly Finding[]): void {
  for (const { level, subject, detail } of findings) program.warn(`${level.padEnd(8)} ${subject}: ${detail}`)
}

/** @returns a sentence about the error, with advice if AWS has denied access */
export function explain(thrown: unknown): string {
  const name = thrown instanceof Error ? thrown.name : ''
  const hint = /^AccessDenied/.test(name)
    ? ' (infra/README.md says which of the policies in infra/stage a command needs)'
    : name === 'CredentialsProviderError' && ': sign in to AWS first'
  return `${sentenceOf(thrown)}${hint || ''}`
}
