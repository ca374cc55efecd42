import { defaultChunkTokens } from '../../../shared/config.ts'
import { checkChunkTokens, checkEmbedder } from '../../../shared/embedding/embedder.ts'
import { openAiEmbedder } from '../../../shared/embedding/openai-embedder.ts'
import { isWellFormed } from '../../../shared/http/api-keys.ts'
import { isProviderSecret, type Provider, providerOf, type SecretName, secretNamesOf } from '../../aws/stages.ts'
import { invoke } from '../aws.ts'
import type { Context } from '../context.ts'
import { checkCertificate, checkConcurrency, checkIdentity, checkSettings, concurrencySubject } from './account.ts'
import { attempt, error, type Finding, ok, warning } from './finding.ts'

/**
 * Checks everything that a deploy needs and does not check first itself, and reads no secret: the Lambda that migrates looks at the
 * database. It changes nothing. @returns all findings, the errors last
 */
export async function preflight(context: Context): Promise<Finding[]> {
  const { aws, stage, settings } = context
  const identity = await attempt('credentials', () => checkIdentity(aws, stage, settings))
  const hasCredentials = identity.every(({ subject }) => subject !== 'credentials')
  const skipped = error('AWS', 'its checks were skipped: quota, certificate, secrets and database')
  const checks = hasCredentials
    ? [
        attempt(concurrencySubject, () => checkConcurrency(aws, stage, settings)),
        attempt('certificate', () => checkCertificate(aws, settings)),
        attempt('database', () => checkDatabase(context)),
        ...secretNamesOf(settings).map((name) => attempt(name, () => checkSecret(name, context))),
      ]
    : [[skipped]]
  const findings = (await Promise.all([checkSettings(stage, settings), identity, ...checks])).flat()
  return byLevel(findings)
}

/** The errors last. */
export function byLevel(findings: Finding[]): Finding[] {
  const order = ['ok', 'warning', 'error']
  return findings.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}

async function checkDatabase({ aws, stack }: Context): Promise<Finding[]> {
  const checked = (await invoke(aws, `${stack}-migrate`, { check: true })) as { findings: Finding[] } | undefined
  return checked?.findings ?? [ok('database', 'is checked once the stage is deployed')]
}

async function checkSecret(name: SecretName, { stage, settings, secrets }: Context): Promise<Finding[]> {
  const { id, hasValue, keyId } = await secrets.describe(name)
  // KMS may name a key by its id instead of its ARN.
  if (keyId && !settings.secretsKeyArn?.endsWith(keyId))
    return [
      error(
        name,
        `is encrypted with ${keyId}, which no Lambda may use: set secretsKeyArn in infra/aws/stages/${stage}.json`,
      ),
    ]
  if (hasValue) return name.startsWith('database-') ? [] : [ok(name, `the secret ${id} has a value`)]
  if (name.startsWith('database-') && name !== 'database-owner')
    return [ok(name, 'is empty: the deploy that adds its Lambda makes the login')]
  return [error(name, `the secret ${id} is missing or empty: npm run stage -- create ${stage}`)]
}

/** Checks the keys in the secrets, which takes the right to read them. */
export async function checkKeys({ settings, secrets }: Context): Promise<Finding[]> {
  const names = secretNamesOf(settings).filter((name) => isProviderSecret(name) || name === 'canary')
  const findings = names.map((name) =>
    attempt(name, async () => {
      const { id, value = '' } = await secrets.read(name)
      if (isProviderSecret(name))
        return [{ ...(await checkProvider(providerOf(settings, name)!, value)), subject: name }]
      return [isWellFormed(value) ? ok(name, 'has an API key') : error(name, `the secret ${id} is not an API key`)]
    }),
  )
  return (await Promise.all(findings)).flat()
}

export async function checkProvider(provider: Provider, apiKey: string): Promise<Finding> {
  const embedder = openAiEmbedder({ ...provider, apiKey: () => apiKey, timeoutSeconds: 10 })
  const fault = await checkEmbedder(embedder)
  if (fault) return error('provider', fault)
  const warned = await checkChunkTokens(embedder, provider.chunkTokens ?? defaultChunkTokens)
  return warned ? warning('provider', warned) : ok('provider', `${provider.model} at ${provider.baseUrl}`)
}
