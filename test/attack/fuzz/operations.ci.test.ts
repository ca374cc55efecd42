import fc from 'fast-check'
import { test } from 'vitest'
import { useStand } from '../../support/stand/stand.ts'
import { operations } from './document.ts'
import { useExchange } from './exchange.ts'
import { hostileRequest } from './generate/hostile.ts'
import { platformRequests } from './generate/platform-body.ts'
import { type FuzzRequest, nearlyValidRequest, validRequest } from './generate/request.ts'
import { cases, playAll } from './play.ts'

const exchange = useExchange(useStand())

const requests = operations.flatMap((operation) => {
  const any = fc.oneof(
    { weight: 3, arbitrary: validRequest(operation) },
    { weight: 5, arbitrary: nearlyValidRequest(operation) },
    { weight: 2, arbitrary: hostileRequest(operation) },
  )
  const platformRequest = platformRequests[operation.id]
  if (!platformRequest) return [{ name: `${operation.id}:`, request: any }]
  const inItsForm = fc
    .tuple(validRequest(operation), platformRequest)
    .map(([whole, part]): FuzzRequest => ({ ...whole, ...part, kind: 'nearly valid' }))
  return [
    { name: `${operation.id}:`, request: any },
    { name: `${operation.id} in the platform’s form:`, request: inItsForm },
  ]
})

test.each(requests)(
  `$name ${cases} requests are answered as the document says`,
  { timeout: 3_600_000 },
  async ({ name, request }) => {
    await playAll(name, cases, request, async (each) => {
      try {
        await exchange().send(each)
      } finally {
        await exchange().restore()
      }
    })
  },
)
