import fc from 'fast-check'
import { operations } from '../document.ts'
import { hostileRequest } from './hostile.ts'
import { type FuzzRequest, nearlyValidRequest, validRequest } from './request.ts'

export type Step = FuzzRequest | 'deliver' | 'sweep'

/** Steps of both tenants in any order, which use names from earlier answers to either. */
export function sequence(maxSteps: number): fc.Arbitrary<Step[]> {
  const keyed = operations.filter(({ permission }) => permission !== undefined)
  const more = keyed.filter(({ permission }) => permission === 'kb:write')
  const request = fc
    .constantFrom(...keyed, ...more, ...more)
    .chain((operation) =>
      fc.oneof(
        { weight: 7, arbitrary: validRequest(operation) },
        { weight: 2, arbitrary: nearlyValidRequest(operation) },
        { weight: 1, arbitrary: hostileRequest(operation) },
      ),
    )
  const step = fc.oneof(
    { weight: 10, arbitrary: fc.tuple(request, named).map(([each, names]) => aboutSeen(each, names)) },
    { weight: 1, arbitrary: fc.constantFrom<Step>('deliver', 'deliver', 'deliver', 'sweep') },
  )
  return fc.array(step, { minLength: Math.ceil(maxSteps / 2), maxLength: maxSteps, size: 'max' })
}

type Names = Record<'seen' | 'cursor' | 'etag', number | null>

const place = fc.nat(60)
/** The names that a request takes from earlier answers. */
const named: fc.Arbitrary<Names> = fc.record({
  seen: fc.option(place),
  cursor: fc.option(place, { freq: 2 }),
  etag: fc.option(place, { freq: 2 }),
})

function aboutSeen(request: FuzzRequest, { seen, cursor, etag }: Names): FuzzRequest {
  const { ids, query, headers } = request
  const isOwnAgent = ids.agentId === '<mine.agent>'
  return {
    ...request,
    ids: seen !== null && isOwnAgent ? { ...ids, documentId: `<seen.${seen}>` } : ids,
    query: query.map(([name, value]) => [name, name === 'cursor' && cursor !== null ? `<cursor.${cursor}>` : value]),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        /^If-/.test(name) && etag !== null ? `<etag.${etag}>` : value,
      ]),
    ),
    ...('body' in request && { body: marked(request.body) }),
  }
}

/** Puts the sender's mark into every text to store. */
function marked(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(marked)
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => {
      const isShort = typeof value === 'string' && value.length < 400 && /\S/.test(value)
      if ((field === 'title' || field === 'content') && isShort) return [field, `<mine.mark> ${value}`]
      return [field, field === 'chunks' ? marked(value) : value]
    }),
  )
}
