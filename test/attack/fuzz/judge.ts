import type { Answer } from '../../support/stand/stand.ts'
import { allows } from './document.ts'
import { followsFurtherRule } from './further-rules.ts'
import type { Ledger } from './ledger.ts'
import type { Sent } from './send.ts'

/** The fault of an answer in a documented form; undefined if it has none. */
export function faultOf(ledger: Ledger, sent: Sent, answer: Answer): string | undefined {
  if (answer.status >= 500) return 'is a failure of ours'
  const { rawPath, rawQueryString, headers, body } = sent.event
  const asked = JSON.stringify([rawPath, rawQueryString, headers, body])
  const leaked = ledger.leakTo(sent.request.who, JSON.stringify(answer), asked)
  if (leaked) return `tells of the other organization: ${leaked}`
  return sent.request.kind === 'hostile' ? undefined : unexpected(ledger, sent, answer)
}

/** The difference from the answer that a reader of the document expects, in the order of the checks. */
function unexpected(ledger: Ledger, sent: Sent, answer: Answer): string | undefined {
  const { operation } = sent.request
  const { status } = answer
  if (operation.permission) {
    const { key, carrier, who } = sent.request
    const { permissions } = ledger.world[who].keys[key]!
    // An instance looks up a bounded number of unknown keys, and makes others wait.
    if (status === 429 && key !== 'full') return undefined
    if (permissions.length === 0 || carrier === 'differing' || carrier === 'none') return is(status, 401)
    if (!permissions.includes(operation.permission)) return is(status, 403)
  }
  if (!parametersAllowed(sent)) return is(status, 400)
  if (operation.body) {
    const type = sent.event.headers['content-type']
    if (sent.body !== undefined && type !== 'application/json') return is(status, 415)
    if (sent.body === undefined || !isStorable(sent.body)) return is(status, 400)
    if (!allows(operation.body, sent.body)) return followsFurtherRule(sent, answer) ? undefined : is(status, 422)
  }
  if (followsFurtherRule(sent, answer)) return undefined
  if (!ledger.leadsToOwn(sent)) return is(status, 404)
  return [400, 401, 403, 404, 413, 415, 422].includes(status) ? 'refuses what the document allows' : undefined
}

function is(status: number, expected: number): string | undefined {
  return status === expected ? undefined : `should be ${expected}`
}

function parametersAllowed({ request: { operation }, ids, query, headers }: Sent): boolean {
  const names = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  // Public routes ignore parameters.
  const known = operation.permission === undefined || query.every(([name]) => names.includes(name))
  if (!known || (operation.permission && new Set(query.map(([name]) => name)).size < query.length)) return false
  const given = { path: ids, query: Object.fromEntries(query), header: arriving(headers) }
  return operation.parameters.every(({ name, in: place, schema }) => {
    const value = given[place][name]
    return value === undefined || allows(schema, value)
  })
}

/** Replaces characters that no header may have with DEL, so that they stay invalid, and trims white space. */
function arriving(headers: Record<string, string>): Record<string, string> {
  const arrived = (value: string) => value.replaceAll(/[\0\r\n]|[^\0-\x7f]/g, '\x7f').replaceAll(/^[ \t]+|[ \t]+$/g, '')
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, arrived(value)]))
}

/** True if the body has neither U+0000 nor lone surrogates. */
function isStorable(body: unknown): boolean {
  return !/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/i.test(JSON.stringify(body))
}
