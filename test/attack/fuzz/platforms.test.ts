import fc from 'fast-check'
import { beforeAll, describe, test } from 'vitest'
import { useStand } from '../../support/stand.ts'
import { operations } from './document.ts'
import { type Exchange, openExchange } from './exchange.ts'
import { platformRequests } from './generate/platform-body.ts'
import { type FuzzRequest, validRequest } from './generate/request.ts'
import { cases, playAll } from './play.ts'
import { watchRows } from './rows.ts'
import { makeWorld } from './world.ts'

const stand = useStand()
let exchange: Exchange
beforeAll(async () => {
  const world = await makeWorld(stand)
  exchange = await openExchange(stand, world, await watchRows(stand.pool))
})

describe.each(Object.entries(platformRequests))('%s', (id, platformRequest) => {
  const operation = operations.find((each) => each.id === id)!
  test(`${id}: ${cases} messages in the platform’s form`, { timeout: 3_600_000 }, async () => {
    const request = fc
      .tuple(validRequest(operation), platformRequest)
      .map(([whole, part]): FuzzRequest => ({ ...whole, ...part, kind: 'nearly valid' }))
    await playAll(`${id}:`, cases, request, async (each) => {
      try {
        await exchange.send(each)
      } finally {
        await exchange.restore()
      }
    })
  })
})
