import { log } from '../../shared/log.ts'

type Fields = Readonly<Record<string, unknown>>

interface Trouble {
  /** One line a minute is printed for each kind. */
  kind: string
  words: string
}

/** The event in words; undefined for one that stays a line of JSON. */
function inWords(event: string, fields: Fields): Trouble | undefined {
  if ((fields.error as { message?: string } | undefined)?.message === 'database is unavailable')
    return databaseTrouble(fields)
  switch (event) {
    case 'document_retry_scheduled':
      return providerTrouble(String(fields.error))
    case 'embedding_provider_unavailable':
      return providerTrouble(causeOf(fields, 'The embedding provider is unavailable'))
    case 'document_failed':
      return {
        kind: `${event} ${fields.code}`,
        words: `A document failed (${fields.code}): see its error_message.`,
      }
    default:
      return undefined
  }
}

function providerTrouble(fault: string): Trouble {
  return {
    kind: kindOf(fault),
    words: `${fault}. Until it is back, documents wait for a retry and searches match words only.`,
  }
}

function databaseTrouble(fields: Fields): Trouble {
  const why = causeOf(fields, 'no answer').replace(/^Server error \(HTTP status \d+\): /, '')
  return {
    kind: 'database_unavailable',
    words: `The database is unavailable (${why}). Until it is back, requests are answered with 503 and documents wait.`,
  }
}

/** The fault without the provider's details in parentheses, which differ each time. */
function kindOf(fault: string): string {
  return fault.split(' (')[0]!
}

function causeOf({ error }: Fields, otherwise: string): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } }
  return cause?.message ?? message ?? otherwise
}

const quietMilliseconds = 60_000

/** Logs frequent faults in words, one line a minute for each kind; other warnings stay JSON. @returns marks a fault as reported */
export function logForPeople(print: (line: string) => void, now: () => number = Date.now): (fault: string) => void {
  log.setLogLevel('WARN')
  const reported = new Map<string, number>()
  for (const level of ['warn', 'error'] as const) {
    const asJson = log[level].bind(log)
    // Assigned, because Powertools lets a formatter change a line but not leave it out.
    log[level] = (event, ...more) => {
      const [fields] = more
      const trouble = typeof event === 'string' ? inWords(event, (fields ?? {}) as Fields) : undefined
      if (!trouble) return asJson(event, ...more)
      const { kind, words } = trouble
      if (now() < (reported.get(kind) ?? Number.NEGATIVE_INFINITY) + quietMilliseconds) return
      reported.set(kind, now())
      print(`${new Date(now()).toTimeString().slice(0, 8)}  ${words}`)
    }
  }
  return (fault) => reported.set(kindOf(fault), now())
}
