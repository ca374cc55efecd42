import { defaultChunkTokens } from '../../../shared/config.ts'
import { checkChunkTokens, checkEmbedder } from '../../../shared/embedding/embedder.ts'
import { openAiEmbedder } from '../../../shared/embedding/openai-embedder.ts'
import {
  isProviderSecret,
  type OptionalSecret,
  type Provider,
  providerOf,
  type SecretName,
  type StageSettings,
  secretNamesOf,
} from '../../aws/stages.ts'
import { migrateAt, migrationNames } from '../../migrations/migrate.ts'
import { isPostgresUrl } from '../../postgres-url.ts'
import { type Context, cdkDeploy } from '../context.ts'
import { canary, isCanaryKey, makeTenant, revokeOthers } from '../create/organizations.ts'
import { type Check, error, errorsIn, type Finding, ok, warning } from './check.ts'
import { appliedMigrations, checkOwner } from './database.ts'
import { loginChecks } from './logins.ts'
import { checkConnections, computeOf } from './neon.ts'

/** A secret that a person provides. */
export type GivenSecret = Extract<SecretName, 'database-owner' | OptionalSecret>

export const givenSecretsOf = ({ settings }: Context) =>
  secretNamesOf(settings).filter(
    (name): name is GivenSecret => isProviderSecret(name) || /^(database-owner|oidc)$/.test(name),
  )

/** True if the Lambda that migrates fills the secret when it is empty. */
const makesLogin = (name: SecretName) => name.startsWith('database-') && name !== 'database-owner'

/**
 * Checks for the secrets and the database, in the order of their repairs, as each needs those before it.
 * @param given new values of secrets; the others keep theirs
 */
export function stateChecks(
  context: Context,
  ownerUrl: string | undefined,
  given: Partial<Record<GivenSecret, string>> = {},
): Check[] {
  return [
    stackCheck(context),
    ...givenSecretsOf(context).map((name) => valueCheck(context, name, given[name])),
    ...(ownerUrl && isPostgresUrl(ownerUrl)
      ? [schemaCheck(context, ownerUrl), ...loginChecks(context, ownerUrl), canaryCheck(context, ownerUrl)]
      : []),
  ]
}

/** Checks for the secrets that need no right to read their values. */
export function describedChecks({ settings, secrets }: Context): Check[] {
  return secretNamesOf(settings).map((subject) => ({
    subject,
    async judge() {
      const { hasValue, fault } = await secrets.describe(subject)
      return fault && (hasValue || !makesLogin(subject)) ? [error(subject, fault)] : []
    },
  }))
}

export function stackCheck({ stack, settings, secrets, cdk }: Context) {
  const [subject, name] = ['secrets', `${stack}-secrets`]
  return {
    subject,
    async judge() {
      const found = await Promise.all(secretNamesOf(settings).map((each) => secrets.describe(each)))
      const missing = found.filter(({ exists }) => !exists).map(({ id }) => id)
      return [missing.length > 0 ? warning(subject, `missing: ${missing.join(', ')}`) : ok(subject, `stack ${name}`)]
    },
    repair: { what: `stack ${name}, by cdk deploy`, run: () => cdk([...cdkDeploy, name]) },
  }
}

export function valueCheck(context: Context, subject: GivenSecret, given?: string): Check {
  const { secrets } = context
  return {
    subject,
    async judge() {
      const { value = '', fault } = await secrets.read(subject)
      if (fault) return [error(subject, fault)]
      if (given && given !== value) return [error(subject, 'has another value')]
      return await judgeValue(context, subject, value)
    },
    ...(given && { repair: { what: 'the value of its secret', run: () => secrets.write(subject, given) } }),
  }
}

export async function judgeValue(context: Context, name: GivenSecret, value: string): Promise<Finding[]> {
  const { database, settings } = context
  if (name === 'database-owner') {
    const found = await checkOwner(value, database)
    return errorsIn(found).length > 0
      ? found
      : [...found, ...checkConnections(context, await computeOf(database(value)))]
  }
  if (name === 'oidc') return [await checkClient(settings.oidc!, value)]
  return [await checkProvider(name, providerOf(settings, name)!, value)]
}

async function checkProvider(name: string, provider: Provider, apiKey: string): Promise<Finding> {
  const embedder = openAiEmbedder({ ...provider, apiKey: () => apiKey, timeoutSeconds: 10 })
  const fault = await checkEmbedder(embedder)
  if (fault) return error(name, fault)
  const warned = await checkChunkTokens(embedder, provider.chunkTokens ?? defaultChunkTokens)
  return warned ? warning(name, warned) : ok(name, `${provider.model} at ${provider.baseUrl}`)
}

/** Redeems an invalid code, because the provider checks the client secret first. */
async function checkClient({ issuer, clientId }: NonNullable<StageSettings['oidc']>, secret: string): Promise<Finding> {
  const signal = AbortSignal.timeout(10_000)
  const described = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, { signal })
  const metadata = (await described.json()) as { issuer: string; token_endpoint: string }
  if (metadata.issuer !== issuer)
    return error('oidc', `${issuer} calls itself ${metadata.issuer}: set oidc.issuer to that`)
  const credentials = [clientId, secret].map(encodeURIComponent).join(':')
  const response = await fetch(metadata.token_endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code: 'none', redirect_uri: issuer }),
    signal,
  })
  const refusal = (await response.json()) as { error?: string }
  if (refusal.error === 'invalid_client') return error('oidc', `${issuer} refuses the client secret of ${clientId}`)
  return ok('oidc', `${clientId} at ${issuer}`)
}

function schemaCheck({ database }: Context, ownerUrl: string): Check {
  const subject = 'schema'
  return {
    subject,
    async judge() {
      const applied = await appliedMigrations(database(ownerUrl))
      const pending = migrationNames.filter((name) => !applied.has(name))
      if (pending.length === 0) return [ok(subject, 'every migration')]
      return [warning(subject, `lacks ${pending.join(', ')}, which the next deploy applies`)]
    },
    repair: { what: 'every migration', run: async () => void (await migrateAt(ownerUrl)) },
  }
}

function canaryCheck({ database, secrets, stage, terminal: { person } }: Context, ownerUrl: string): Check {
  const subject = 'canary'
  const db = database(ownerUrl)
  return {
    subject,
    async judge() {
      const { value, fault } = await secrets.read(subject)
      if (fault) return [error(subject, fault)]
      if (await isCanaryKey(db, value)) return [ok(subject, 'organization, agent and key')]
      return [error(subject, `its secret is not an API key of the canary: npm run stage -- create ${stage}`)]
    },
    repair: {
      what: 'organization, agent and key of the canary, in its secret',
      async run() {
        const { key, key_id, organization_id } = await makeTenant(db, person, stage, canary)
        await secrets.write(subject, key)
        await revokeOthers(db, organization_id, key_id)
      },
    },
  }
}
