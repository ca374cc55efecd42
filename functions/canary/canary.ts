import * as v from 'valibot'
import { heapLimitMb } from '../../shared/loading.ts'
import { describeError, log } from '../../shared/telemetry/log.ts'
import { report } from '../../shared/telemetry/metrics.ts'
import { type ApiAccess, apiClient, CallFailed } from './api-client.ts'
import { runJourney } from './journey.ts'
import { newSteps } from './steps.ts'

export interface Canary {
  baseUrl: string
  apiKey(): Promise<string>
  signal: AbortSignal
  pause(): Promise<unknown>
  /** Replaces the requests to `baseUrl`. */
  send?: ApiAccess['send']
  /** The run fails if this process's heap has a larger limit: the runtime then ignores the stage's settings. */
  maxHeapMb?: number | undefined
}

/** The name of its agent and its documents, so that a customer's key, given by mistake, touches nothing of theirs. */
const ownName = 'Canary'
const agents = v.object({ data: v.array(v.object({ id: v.string(), name: v.string() })) })

export interface Journey {
  /** Why the journey did not end. */
  failure: string | undefined
  milliseconds: Partial<Record<string, number>>
}

/** Runs one journey through the API and reports it as metrics and a line of the log. Never throws. */
export async function runCanary({ baseUrl, apiKey, signal, pause, maxHeapMb, send }: Canary): Promise<Journey> {
  const steps = newSteps()
  const { milliseconds } = steps
  let failure: string | undefined
  try {
    if (maxHeapMb) await steps.run('heap', async () => checkHeap(maxHeapMb))
    const access = { baseUrl, apiKey: await steps.run('key', apiKey), signal, ...(send && { send }) }
    const agentId = await steps.run('agent', () => findAgent(access))
    await runJourney({ ...access, agentId, title: ownName, pause }, steps)
    log.info('canary', { milliseconds })
  } catch (error) {
    const step = steps.current
    failure = `${step}: ${error instanceof Error ? error.message : error}`
    const requestId = error instanceof CallFailed ? error.requestId : undefined
    log.error('canary_failed', { step, request_id: requestId, milliseconds, error: describeError(error) })
  }
  report({
    CanarySuccess: failure === undefined ? 1 : 0,
    CanaryCreateMilliseconds: milliseconds.create,
    CanaryCompleteMilliseconds: milliseconds.complete,
    CanarySearchMilliseconds: milliseconds.search,
    CanaryDeleteMilliseconds: milliseconds.delete,
  })
  return { failure, milliseconds }
}

function checkHeap(maxMb: number): void {
  if (heapLimitMb() > maxMb) throw new Error(`The heap may grow to ${heapLimitMb()} MB instead of ${maxMb}`)
}

export async function findAgent(access: ApiAccess): Promise<string> {
  const { body } = await apiClient(access)('GET', '/v1/agents?limit=100', { status: 200, schema: agents })
  const agent = body.data.find(({ name }) => name === ownName)
  if (!agent) throw new Error(`The organization of the key has no agent named ${ownName}`)
  return agent.id
}
