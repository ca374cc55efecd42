import { log } from '../../shared/telemetry/log.ts'

type Fields = Readonly<Record<string, unknown>>

/** Describes an event in words; undefined if it stays a line of JSON. */
function inWords(event: unknown, fields: Fields): string | undefined {
  if ((fields.error as { message?: string } | undefined)?.message === 'database is unavailable') {
    const why = causeOf(fields, 'no answer').replace(/^Server error \(HTTP status \d+\): /, '')
    return `The database is unavailable (${why}). Until it is back, requests are answered with 503 and documents wait.`
  }
  if (event === 'document_failed') return `A document failed with ${fields.code}: see its error_message.`
  const fault =
    event === 'document_retry_scheduled'
      ? String(fields.error)
      : event === 'embedding_provider_unavailable' && causeOf(fields, 'The embedding provider is unavailable')
  return fault ? `${fault}. Until it is back, documents wait for a retry and searches match words only.` : undefined
}

/** The fault without its consequences, and without details in parentheses, which differ each time. */
function kindOf(words: string): string {
  return words.split(/ \(|\. Until /)[0]!
}

function causeOf({ error }: Fields, otherwise: string): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } }
  return cause?.message ?? message ?? otherwise
}

const quietMilliseconds = 60_000

/** Logs frequent faults in words, one line a minute for each kind; other warnings stay JSON. @returns a function that marks a fault as reported */
export function logForPeople(print: (line: string) => void, now: () => number = Date.now): (fault: string) => void {
  log.setLogLevel('WARN')
  const reported = new Map<string, number>()
  for (const level of ['warn', 'error'] as const) {
    const asJson = log[level].bind(log)
    // Assigned, because Powertools lets a formatter change a line but not leave it out.
    log[level] = (event, ...more) => {
      const [fields] = more
      const words = inWords(event, (fields ?? {}) as Fields)
      if (!words) return asJson(event, ...more)
      const kind = kindOf(words)
      if (now() < (reported.get(kind) ?? Number.NEGATIVE_INFINITY) + quietMilliseconds) return
      reported.set(kind, now())
      print(`${new Date(now()).toTimeString().slice(0, 8)}  ${words}`)
    }
  }
  return (fault) => reported.set(kindOf(fault), now())
}
