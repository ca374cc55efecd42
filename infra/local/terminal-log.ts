import { log } from '../../shared/log.ts'

type Fields = Readonly<Record<string, unknown>>

interface Trouble {
  /** Of which one line a minute is enough. */
  kind: string
  words: string
}

/** What a person needs to know of an event; undefined for one that stays a line of JSON. */
function inWords(event: string, fields: Fields): Trouble | undefined {
  if ((fields.error as { message?: string } | undefined)?.message === 'database is unavailable')
    return ofDatabase(fields)
  switch (event) {
    case 'document_retry_scheduled':
      return ofProvider(String(fields.error))
    case 'embedding_provider_unavailable':
      return ofProvider(causeOf(fields, 'The embedding provider is unavailable'))
    case 'document_failed':
      return {
        kind: `${event} ${fields.code}`,
        words: `A document ended in error (${fields.code}): its error_message says why.`,
      }
    default:
      return undefined
  }
}

function ofProvider(fault: string): Trouble {
  return {
    kind: kindOf(fault),
    words: `${fault}. Documents wait and are tried again by themselves; searches match words alone until then.`,
  }
}

/** Requests, workers and the sweeper all say it, each in a line of its own. */
function ofDatabase(fields: Fields): Trouble {
  const why = causeOf(fields, 'no answer').replace(/^Server error \(HTTP status \d+\): /, '')
  return {
    kind: 'database_unavailable',
    words: `The database cannot be used (${why}). Requests are answered with 503, and documents wait, until it can be.`,
  }
}

/** Without what the provider says in parentheses, which may differ each time. */
function kindOf(fault: string): string {
  return fault.split(' (')[0]!
}

function causeOf({ error }: Fields, otherwise: string): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } }
  return cause?.message ?? message ?? otherwise
}

const quietMilliseconds = 60_000

/**
 * Logs trouble that comes in crowds, a provider that is down above all, in words: one line a minute for each kind. The rest stays
 * lines of JSON, from warnings up.
 * @returns marks a fault of the provider as told
 */
export function logForPeople(print: (line: string) => void, now: () => number = Date.now): (fault: string) => void {
  log.setLogLevel('WARN')
  const told = new Map<string, number>()
  for (const level of ['warn', 'error'] as const) {
    const asJson = log[level].bind(log)
    // Assigned, because Powertools lets a formatter change a line but not leave it out.
    log[level] = (event, ...more) => {
      const [fields] = more
      const trouble = typeof event === 'string' ? inWords(event, (fields ?? {}) as Fields) : undefined
      if (!trouble) return asJson(event, ...more)
      const { kind, words } = trouble
      if (now() < (told.get(kind) ?? Number.NEGATIVE_INFINITY) + quietMilliseconds) return
      told.set(kind, now())
      print(`${new Date(now()).toTimeString().slice(0, 8)}  ${words}`)
    }
  }
  return (fault) => told.set(kindOf(fault), now())
}
