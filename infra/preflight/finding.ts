/** What a check has found. A warning does not keep a deploy from working. */
export interface Finding {
  level: 'ok' | 'warning' | 'error'
  subject: string
  detail: string
}

export const ok = (subject: string, detail: string): Finding => ({ level: 'ok', subject, detail })
export const warning = (subject: string, detail: string): Finding => ({ level: 'warning', subject, detail })
export const error = (subject: string, detail: string): Finding => ({ level: 'error', subject, detail })

/** A check that cannot be made is an error, and keeps no other from being made. */
export async function attempt(subject: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return [error(subject, message.replaceAll(/\s+/g, ' '))]
  }
}
