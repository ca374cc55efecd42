import { setTimeout as sleep } from 'node:timers/promises'
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
  const { create = 0, complete = 0, search = 0 } = steps.milliseconds
  const seconds = (create + complete + search) / 1000
  return `A document was found ${seconds.toFixed(1)} s after it was created, and deleted.`
}
