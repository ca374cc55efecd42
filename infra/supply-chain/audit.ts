import { execFile } from 'node:child_process'
import { join } from 'node:path'
import * as v from 'valibot'

export type Audit = { reached: true; faults: string[] } | { reached: false; reason: string }

const severity = v.picklist(['info', 'low', 'moderate', 'high', 'critical'])
const report = v.object({
  vulnerabilities: v.record(v.string(), v.object({ severity, range: v.string() })),
})
const refusal = v.object({ message: v.string() })

/** Asks the registry about what is installed without development. It finds no fault in what it cannot ask about, and says so. */
export async function audit(): Promise<Audit> {
  const printed = await new Promise<string>((resolve) => {
    const options = { cwd: join(import.meta.dirname, '../..'), maxBuffer: 50e6, shell: process.platform === 'win32' }
    // It exits with 1 when it has found something, and when it has reached nobody.
    execFile('npm', ['audit', '--omit=dev', '--json'], options, (_, stdout) => resolve(stdout))
  })
  return readAudit(printed)
}

/** @param printed by `npm audit --json` */
export function readAudit(printed: string): Audit {
  const parsed: unknown = printed.trim() === '' ? {} : JSON.parse(printed)
  const found = v.safeParse(report, parsed)
  if (!found.success) {
    const { output, success } = v.safeParse(refusal, parsed)
    return { reached: false, reason: success ? output.message : 'npm audit has printed no report' }
  }
  const faults = Object.entries(found.output.vulnerabilities)
  return { reached: true, faults: faults.map(([name, { severity, range }]) => `${name} ${range}: ${severity}`) }
}
