import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, useStand } from '../../support/stand.ts'
import { operations } from './document.ts'
import type { FuzzRequest } from './generate/request.ts'
import { faultOf } from './judge.ts'
import { Ledger } from './ledger.ts'
import { prepared } from './send.ts'
import { makeWorld } from './world.ts'

const stand = useStand()
let ledger: Ledger
beforeAll(async () => {
  ledger = new Ledger(await makeWorld(stand))
})

const sound: FuzzRequest = {
  kind: 'valid',
  operation: operations.find(({ id }) => id === 'getDocument')!,
  who: 'A',
  key: 'full',
  carrier: 'own',
  method: 'GET',
  ids: { agentId: '<mine.agent>', documentId: '<mine.own>' },
  query: [],
  headers: {},
}
const judged = (more: Partial<FuzzRequest>, status: number, body: unknown = {}) =>
  faultOf(ledger, prepared(stand, ledger, { ...sound, ...more }), { status, headers: {}, body } as Answer)

describe('a fault is', () => {
  test('a failure of ours, whatever was sent', () => {
    for (const kind of ['valid', 'nearly valid', 'hostile'] as const)
      for (const status of [500, 503]) expect(judged({ kind }, status)).toBe('is a failure of ours')
  })

  test('what tells of the other organization, unless it was in the request', () => {
    const { mark, names } = ledger.world.B
    for (const secret of [mark, names.completed, names.documentsCursor])
      for (const kind of ['valid', 'hostile'] as const) expect(judged({ kind }, 200, [secret])).toContain(secret)
    const asked = { agentId: '<theirs.agent>', documentId: '<mine.own>' }
    expect(judged({ ids: asked }, 404, { instance: names.agent })).toBeUndefined()
  })

  test('a document that is another’s, another agent’s or gone', () => {
    const ids = { agentId: '<mine.agent>', documentId: '' }
    for (const documentId of ['<theirs.own>', '<mine.nephew>', '<mine.deleted>', '<never.id>'])
      expect(judged({ ids: { ...ids, documentId } }, 200)).toBe('should be 404')
    expect(judged({ ids: { agentId: '<theirs.agent>', documentId: '<theirs.own>' } }, 200)).toBe('should be 404')
  })

  test('a key that opens what it should not', () => {
    for (const key of ['revoked', 'expired', 'unknown', 'malformed']) expect(judged({ key }, 200)).toBe('should be 401')
    expect(judged({ key: 'kb_write' }, 200)).toBe('should be 403')
  })

  test('a refusal of what the document allows, and the taking of what it does not', () => {
    expect(judged({}, 200)).toBeUndefined()
    expect(judged({}, 400)).toBe('refuses what the document allows')
    expect(judged({ query: [['exclude', 'title']] }, 200)).toBe('should be 400')
    expect(judged({ query: [['page', '2']] }, 200)).toBe('should be 400')
  })
})
