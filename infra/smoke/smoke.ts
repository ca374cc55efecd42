import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { type ApiAccess, apiClient } from '../../functions/canary/api-client.ts'
import { findAgent } from '../../functions/canary/canary.ts'
import { runJourney } from '../../functions/canary/journey.ts'
import { newSteps } from '../../functions/canary/steps.ts'

const maxSeconds = 120

interface Access {
  baseUrl: string
  apiKey: string
  /** The canary's by default. */
  agentId?: string
  pause?: () => Promise<unknown>
}

/** Makes the canary’s journey once. @returns what it did, in a sentence @throws StepFailed */
export async function smoke({ agentId, pause = () => sleep(500), ...own }: Access): Promise<string> {
  const steps = newSteps()
  const access = { ...own, signal: AbortSignal.timeout(maxSeconds * 1000) }
  const agent = agentId ?? (await steps.run('agent', () => findAgent(access)))
  await runJourney({ ...access, agentId: agent, title: 'Smoke test', pause }, steps)
  await steps.run('external id', () => putNamed(access, agent))
  const { create = 0, complete = 0, search = 0 } = steps.milliseconds
  const seconds = (create + complete + search) / 1000
  return `A document was found ${seconds.toFixed(1)} s after it was created, and deleted.`
}

/** The gateway’s handling of paths is documented nowhere: an external id has to arrive as it was sent. */
async function putNamed(access: ApiAccess, agentId: string): Promise<void> {
  const call = apiClient(access)
  const external_id = 'https://smoke.example//test/?a=1&b=100%#ü'
  const name = encodeURIComponent(encodeURIComponent(external_id))
  const path = `/v1/agents/${agentId}/knowledge-base/by-external-id/${name}`
  const schema = v.object({ external_id: v.literal(external_id) })
  const content = 'This is a test.'
  await call('PUT', path, { status: 201, schema }, { external_id, title: 'Smoke test', content })
  await call('GET', path, { status: 200, schema })
  await call('DELETE', path, { status: 204, schema: v.undefined() })
}
