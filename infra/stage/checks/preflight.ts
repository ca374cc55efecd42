import { defaultChunkTokens } from '../../../shared/config.ts'
import { checkChunkTokens, checkEmbedder } from '../../../shared/embedding/embedder.ts'
import { openAiEmbedder } from '../../../shared/embedding/openai-embedder.ts'
import { isWellFormed } from '../../../shared/http/api-keys.ts'
import { isProviderSecret, type Provider, providerOf, type SecretName, secretNamesOf } from '../../aws/stages.ts'
import { isPostgresUrl } from '../../postgres-url.ts'
import type { Context } from '../context.ts'
import { checkCertificate, checkConcurrency, checkIdentity, checkSettings, concurrencySubject } from './account.ts'
import { checkLogin, checkMigrations, checkOwner } from './database.ts'
import { attempt, error, type Finding, ok, warning } from './finding.ts'

/** Checks everything that a deploy needs and does not check first itself; changes nothing. @returns all findings, the errors last */
export async function preflight(context: Context): Promise<Finding[]> {
  const { aws, stage, settings } = context
  const identity = await attempt('credentials', () => checkIdentity(aws, stage, settings))
  const hasCredentials = identity.every(({ subject }) => subject !== 'credentials')
  const skipped = error('AWS', 'its checks were skipped: quota, certificate, secrets and what they open')
  const checks = hasCredentials
    ? [
        attempt(concurrencySubject, () => checkConcurrency(aws, stage, settings)),
        attempt('certificate', () => checkCertificate(aws, settings)),
        ...secretNamesOf(settings).map((name) => attempt(name, () => checkSecret(name, context))),
      ]
    : [[skipped]]
  const findings = (await Promise.all([checkSettings(stage, settings), identity, ...checks])).flat()
  const order = ['ok', 'warning', 'error']
  return findings.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}

async function checkSecret(name: SecretName, { stage, settings, secrets, database }: Context): Promise<Finding[]> {
  const { id, value, keyId } = await secrets.read(name)
  const create = `npm run stage -- create ${stage}`
  if (!value) return [error(name, `the secret ${id} is missing or empty: ${create}`)]
  // KMS may name a key by its id instead of its ARN.
  if (keyId && !settings.secretsKeyArn?.endsWith(keyId))
    return [
      error(
        name,
        `is encrypted with ${keyId}, which no Lambda may use: set secretsKeyArn in infra/aws/stages/${stage}.json`,
      ),
    ]
  if (isProviderSecret(name)) return [{ ...(await checkProvider(providerOf(settings, name)!, value)), subject: name }]
  if (name === 'canary')
    return [
      isWellFormed(value)
        ? ok('canary', 'has an API key')
        : error('canary', `the secret ${id} is not an API key: ${create}`),
    ]
  if (!isPostgresUrl(value)) return [error(name, `the secret ${id} is not a postgresql:// URL`)]
  if (name !== 'database-owner') return await checkLogin(name, value, database)
  const findings = await checkOwner(value, database)
  return findings.length > 1 ? [...findings, await checkMigrations(database(value))] : findings
}

export async function checkProvider(provider: Provider, apiKey: string): Promise<Finding> {
  const embedder = openAiEmbedder({ ...provider, apiKey: () => apiKey, timeoutSeconds: 10 })
  const fault = await checkEmbedder(embedder)
  if (fault) return error('provider', fault)
  const warned = await checkChunkTokens(embedder, provider.chunkTokens ?? defaultChunkTokens)
  return warned ? warning('provider', warned) : ok('provider', `${provider.model} at ${provider.baseUrl}`)
}
