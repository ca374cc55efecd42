import { expect, test } from 'vitest'
import { useStand } from '../../support/stand/stand.ts'
import { useExchange } from './exchange.ts'
import { type Step, sequence } from './generate/sequence.ts'
import { cases, playAll } from './play.ts'

const stand = useStand()
const exchange = useExchange(stand)

const sequences = Math.ceil(cases / 8)
const steps = 30

test(`sequences: ${sequences} of up to ${steps} steps keep two tenants apart`, { timeout: 3_600_000 }, async () => {
  await playAll('sequences:', sequences, sequence(steps), async (all) => {
    try {
      for (const step of all) await play(step)
      await everyDocumentIsItsOwners()
    } finally {
      await exchange().restore()
    }
  })
})

async function play(step: Step): Promise<void> {
  if (typeof step !== 'string') return void (await exchange().send(step))
  if (step === 'deliver') await stand.deliver()
  else await stand.sweep()
  await exchange().look()
}

async function everyDocumentIsItsOwners(): Promise<void> {
  for (const [id, { owner, agentId, isDeleted }] of exchange().ledger.documents)
    for (const who of ['A', 'B'] as const) {
      const { tenant } = exchange().ledger.world[who]
      const { status } = await tenant.call('GET', `/v1/agents/${agentId}/knowledge-base/${id}`)
      expect(status, `of ${owner}, asked by ${who}`).toBe(who === owner && !isDeleted ? 200 : 404)
    }
}
