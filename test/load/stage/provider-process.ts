import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import * as v from 'valibot'
import { listen } from '../../support/loopback.ts'
import { responseTo } from '../../support/provider-responses.ts'
import { type Pace, usualPace } from './pace.ts'

const call = v.object({ input: v.array(v.string()) })

// The embedding provider, in a process of its own: it answers as slowly as it was last told.
let pace: Pace = usualPace

const { origin } = await listen(async (request, response) => {
  const { input } = v.parse(call, await json(request))
  if (pace === 'hang') return
  await delay(pace)
  const { status, body } = responseTo(input, 'ok')
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
})

process.on('message', (told: Pace) => {
  pace = told
})
process.once('disconnect', () => process.exit())
process.send?.(origin)
