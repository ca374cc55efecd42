import * as v from 'valibot'
import { messageOf } from '../error-message.ts'
import { smoke } from './smoke.ts'

const settings = v.object({
  BASE_URL: v.pipe(v.string(), v.url()),
  API_KEY: v.string(),
  AGENT_ID: v.pipe(v.string(), v.uuid()),
})

try {
  const { BASE_URL: baseUrl, API_KEY: apiKey, AGENT_ID: agentId } = v.parse(settings, process.env)
  console.log(await smoke({ baseUrl, apiKey, agentId }))
} catch (error) {
  console.error(`error: ${messageOf(error)}`)
  process.exitCode = 1
}
