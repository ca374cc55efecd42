import * as v from 'valibot'
import { defaultChunkTokens } from '../../shared/config.ts'
import { checkChunkTokens, checkEmbedder } from '../../shared/embedding/embedder.ts'
import { openAiEmbedder } from '../../shared/embedding/openai-embedder.ts'
import { isWellFormed } from '../../shared/http/api-keys.ts'
import { type Provider, type SecretName, type StageSettings, secretNamesOf } from '../aws/stages.ts'
import { isPostgresUrl } from '../postgres-url.ts'
import { checkCertificate, checkConcurrency, checkIdentity, checkSettings, concurrencySubject } from './account.ts'
import { type Aws, undefinedIfMissing } from './aws.ts'
import { checkLogin, checkOwner } from './database.ts'
import { attempt, error, type Finding, ok, warning } from './finding.ts'

export interface Environment {
  aws: Aws
  /** Serves Neon's protocol in place of Neon's own hosts. */
  databaseEndpoint?: string | undefined
}

const value = v.object({ SecretString: v.optional(v.string()) })

/** Checks everything that a deploy needs and does not check first itself; changes nothing. @returns all findings, the errors last */
export async function preflight(stage: string, settings: StageSettings, environment: Environment): Promise<Finding[]> {
  const { aws } = environment
  const identity = await attempt('credentials', () => checkIdentity(aws, stage, settings))
  const hasCredentials = identity.every(({ subject }) => subject !== 'credentials')
  const skipped = error('AWS', 'its checks were skipped: quota, certificate, secrets and what they open')
  const checks = hasCredentials
    ? [
        attempt(concurrencySubject, () => checkConcurrency(aws, stage, settings)),
        attempt('certificate', () => checkCertificate(aws, settings)),
        ...secretNamesOf(settings).map((name) => attempt(name, () => checkSecret(name, stage, settings, environment))),
      ]
    : [[skipped]]
  const findings = (await Promise.all([checkSettings(stage, settings), identity, ...checks])).flat()
  const order = ['ok', 'warning', 'error']
  return findings.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}

async function checkSecret(
  name: SecretName,
  stage: string,
  settings: StageSettings,
  { aws, databaseEndpoint }: Environment,
): Promise<Finding[]> {
  const id = settings.secretArns?.[name] ?? `cuecard/${stage}/${name}`
  const found = await aws('secretsmanager', 'get-secret-value', '--secret-id', id).catch(undefinedIfMissing)
  const secret = v.parse(value, found ?? {}).SecretString?.trim()
  if (!secret) return [error(name, `the secret ${id} is missing or empty: see the runbook, first deploy`)]
  if (name === 'provider') return [await checkProvider(settings.provider as Provider, secret)]
  if (name === 'canary') return [checkCanary(id, secret)]
  if (!isPostgresUrl(secret)) return [error(name, `the secret ${id} is not a postgresql:// URL`)]
  return name === 'database-owner'
    ? await checkOwner(secret, databaseEndpoint)
    : await checkLogin(name, secret, databaseEndpoint)
}

function checkCanary(id: string, key: string): Finding {
  return isWellFormed(key)
    ? ok('canary', 'has an API key')
    : error('canary', `the secret ${id} is not an API key: see the runbook, the canary's organization`)
}

async function checkProvider(provider: Provider, apiKey: string): Promise<Finding> {
  const embedder = openAiEmbedder({ ...provider, apiKey: () => apiKey, timeoutSeconds: 10 })
  const fault = await checkEmbedder(embedder)
  if (fault) return error('provider', fault)
  const warned = await checkChunkTokens(embedder, provider.chunkTokens ?? defaultChunkTokens)
  return warned ? warning('provider', warned) : ok('provider', `${provider.model} at ${provider.baseUrl}`)
}
