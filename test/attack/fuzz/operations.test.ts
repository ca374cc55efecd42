import fc from 'fast-check'
import { beforeAll, describe, test } from 'vitest'
import { useStand } from '../../support/stand.ts'
import { operations } from './document.ts'
import { type Exchange, openExchange } from './exchange.ts'
import { hostileRequest } from './generate/hostile.ts'
import { nearlyValidRequest, validRequest } from './generate/request.ts'
import { cases, playAll } from './play.ts'
import { watchRows } from './rows.ts'
import { makeWorld } from './world.ts'

const stand = useStand()
let exchange: Exchange
beforeAll(async () => {
  const world = await makeWorld(stand)
  exchange = await openExchange(stand, world, await watchRows(stand.pool))
})

describe.each(operations)('$id', (operation) => {
  test(`${operation.id}: ${cases} requests are answered as the document says`, { timeout: 3_600_000 }, async () => {
    const request = fc.oneof(
      { weight: 3, arbitrary: validRequest(operation) },
      { weight: 5, arbitrary: nearlyValidRequest(operation) },
      { weight: 2, arbitrary: hostileRequest(operation) },
    )
    await playAll(`${operation.id}:`, cases, request, async (each) => {
      try {
        await exchange.send(each)
      } finally {
        await exchange.restore()
      }
    })
  })
})
