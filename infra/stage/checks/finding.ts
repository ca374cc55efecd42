import { sentenceOf } from '../../admin/sentence.ts'
import type { Program } from '../../admin/terminal.ts'

export interface Finding {
  level: 'ok' | 'warning' | 'error'
  subject: string
  detail: string
}

export const ok = (subject: string, detail: string): Finding => ({ level: 'ok', subject, detail })
export const warning = (subject: string, detail: string): Finding => ({ level: 'warning', subject, detail })
export const error = (subject: string, detail: string): Finding => ({ level: 'error', subject, detail })

/** A check that fails to run is an error, and the others still run. */
export async function attempt(subject: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (thrown) {
    return [error(subject, sentenceOf(thrown))]
  }
}

export const errorsIn = (findings: readonly Finding[]) => findings.filter(({ level }) => level === 'error').length

export function show(program: Program, findings: readonly Finding[]): void {
  for (const { level, subject, detail } of findings) program.warn(`${level.padEnd(8)} ${subject}: ${detail}`)
}
