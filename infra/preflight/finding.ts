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
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return [error(subject, message.replaceAll(/\s+/g, ' '))]
  }
}
