import { platformsApp } from '../../../functions/platforms/app.ts'
import { lexicalEmbedder } from '../../../shared/embedding/lexical-embedder.ts'
import type { AnsweringDependencies } from '../../../shared/retrieval/answer.ts'
import { callerOf } from './app-caller.ts'
import type { Answer, Tenant } from './stand.ts'
import { databaseAs } from './worker.ts'

/** An instance of the platforms Lambda of a test's own. */
export function newPlatforms(more: Partial<AnsweringDependencies> = {}) {
  const app = platformsApp({ db: databaseAs('cuecard_platforms'), embedder: lexicalEmbedder(), ...more })
  type Headers = Record<string, string>
  return (tenant: Tenant, platform: 'vapi' | 'retell', body: object | string, headers?: Headers): Promise<Answer> =>
    callerOf(app, tenant.apiKey)('POST', `${tenant.knowledgeBase}/${platform}`, body, headers)
}
