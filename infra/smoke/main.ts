import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { runJourney } from '../../functions/canary/journey.ts'
import { newSteps } from '../../functions/canary/steps.ts'
import { messageOf } from '../error-message.ts'

const settings = v.object({
  BASE_URL: v.pipe(v.string(), v.url()),
  API_KEY: v.string(),
  AGENT_ID: v.pipe(v.string(), v.uuid()),
})
const maxSeconds = 120

try {
  const { BASE_URL: baseUrl, API_KEY: apiKey, AGENT_ID: agentId } = v.parse(settings, process.env)
  const steps = newSteps()
  const signal = AbortSignal.timeout(maxSeconds * 1000)
  await runJourney({ baseUrl, apiKey, agentId, title: 'Smoke test', signal, pause: () => sleep(500) }, steps)
  const { create = 0, complete = 0, search = 0 } = steps.milliseconds
  const seconds = (create + complete + search) / 1000
  console.log(`A document was found ${seconds.toFixed(1)} s after it was created, and deleted.`)
} catch (error) {
  console.error(`error: ${messageOf(error)}`)
  process.exitCode = 1
}
