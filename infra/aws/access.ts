import { Aws } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { IBucket } from 'aws-cdk-lib/aws-s3'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { queueSettings } from '../../shared/work/sqs-queue.ts'
import { databaseUsers, embedding, isDatabaseUser, type LambdaName, type QueueName } from '../wiring.ts'
import type { SecretReference, Secrets } from './secrets.ts'
import { mailIdentitiesOf, type OptionalSecret, type Provider, type SecretName, type StageSettings } from './stages.ts'

export type Access = {
  readonly database?: Exclude<SecretName, OptionalSecret | 'canary'>
  /** Makes the logins of Lambdas, and stores their secrets. */
  readonly makesLogins?: true
  readonly sends?: readonly QueueName[]
  readonly receives?: QueueName
  readonly files?: readonly FileAction[]
  readonly listsFiles?: true
  readonly embeds?: true
  /** Signs people in by mail, and with the stage's OpenID Connect provider. */
  readonly signsIn?: true
  /** Calls the API from outside, with the key of the canary. */
  readonly calls?: true
  /** Further rights, which no other Lambda has. */
  readonly more?: readonly PolicyStatement[]
}

/** A Lambda that signs a URL needs the right that the URL gives. */
type FileAction = keyof typeof keyActions

/** The action on the encryption key that each action on a file needs. */
const keyActions = {
  's3:GetObject': 'kms:Decrypt',
  's3:PutObject': 'kms:GenerateDataKey',
  's3:DeleteObject': undefined,
}

export function accessOf(name: LambdaName): Access {
  return {
    ...(isDatabaseUser(name) && { database: `database-${name}` }),
    ...(embedding.some((each) => each === name) && { embeds: true }),
    ...ownAccess[name],
  }
}

const ownAccess: { readonly [Name in LambdaName]?: Omit<Access, 'database' | 'embeds'> } = {
  documents: { sends: ['embedding', 'extraction'], files: ['s3:PutObject'] },
  agents: { sends: ['crawler'] },
  dashboard: {
    sends: ['embedding', 'extraction', 'crawler'],
    signsIn: true,
    files: ['s3:PutObject', 's3:GetObject'],
  },
  embedding: { sends: ['embedding'], receives: 'embedding' },
  extraction: { sends: ['embedding', 'extraction'], receives: 'extraction', files: ['s3:GetObject'] },
  crawler: { sends: ['embedding', 'crawler'], receives: 'crawler' },
  sweeper: { sends: ['embedding', 'extraction', 'crawler'], files: ['s3:DeleteObject'], listsFiles: true },
  canary: { calls: true },
}

export type Resources = {
  readonly secrets: Secrets
  readonly queues: Readonly<Record<QueueName, IQueue>>
  readonly files: IBucket
  readonly settings: StageSettings
}

export function environmentFor(
  allowed: Access,
  { secrets, queues, files, settings }: Resources,
): Record<string, string> {
  const used = allowed.receives ? [allowed.receives, ...(allowed.sends ?? [])] : (allowed.sends ?? [])
  return {
    LOG_LEVEL: settings.logLevel,
    ...(settings.customDomain?.cloudFront && { BEHIND_CLOUDFRONT: 'true' }),
    ...(allowed.database && { DATABASE_SECRET: secrets[allowed.database].id }),
    ...(allowed.makesLogins && { LOGIN_SECRETS: JSON.stringify(loginSecrets(secrets)) }),
    ...Object.fromEntries(used.map((name) => [queueSettings[name], queues[name].queueUrl])),
    ...(allowed.files && { FILES_BUCKET: files.bucketName }),
    ...(allowed.embeds && embeddingSettings(settings, secrets)),
    ...(allowed.signsIn && signInSettings(settings, secrets)),
    ...(allowed.receives === 'crawler' && contactOf(settings)),
    ...(allowed.calls && { CANARY_SECRET: secrets.canary.id }),
  }
}

function loginSecrets(secrets: Secrets): Record<string, string> {
  return Object.fromEntries(databaseUsers.map((name) => [name, secrets[`database-${name}`].id]))
}

function contactOf({ crawlerContact, alarmAddress }: StageSettings): Record<string, string> {
  const contact = crawlerContact ?? alarmAddress
  return contact === undefined ? {} : { CRAWLER_CONTACT: contact }
}

function signInSettings({ mailFrom, keySignIn, oidc }: StageSettings, secrets: Secrets): Record<string, string> {
  return {
    ...(mailFrom && { MAIL_FROM: mailFrom }),
    ...(keySignIn && { KEY_SIGN_IN: 'true' }),
    ...(oidc && { OIDC_ISSUER: oidc.issuer, OIDC_CLIENT_ID: oidc.clientId, OIDC_SECRET: secrets.oidc!.id }),
    ...(oidc?.name && { OIDC_NAME: oidc.name }),
  }
}

function embeddingSettings({ provider, previousProvider }: StageSettings, secrets: Secrets): Record<string, string> {
  const previous = previousProvider
    ? settingsOf(previousProvider, secrets['previous-provider'] ?? secrets.provider)
    : {}
  const chunkTokens = [provider, previousProvider].flatMap(
    (each) => (each && each !== 'encoder' && each.chunkTokens) || [],
  )
  return {
    ...settingsOf(provider, secrets.provider),
    ...Object.fromEntries(Object.entries(previous).map(([name, value]) => [`PREVIOUS_${name}`, value])),
    // Both providers embed the same chunks.
    ...(chunkTokens.length > 0 && { CHUNK_TOKENS: `${Math.min(...chunkTokens)}` }),
  }
}

function settingsOf(provider: Provider | 'encoder', key: SecretReference | undefined): Record<string, string> {
  if (provider === 'encoder') return { EMBEDDING_MODEL: 'encoder' }
  const { baseUrl, model, queryPrefix, documentPrefix } = provider
  return {
    EMBEDDING_BASE_URL: baseUrl,
    EMBEDDING_MODEL: model,
    ...(queryPrefix && { EMBEDDING_QUERY_PREFIX: queryPrefix }),
    ...(documentPrefix && { EMBEDDING_DOCUMENT_PREFIX: documentPrefix }),
    EMBEDDING_SECRET: key!.id,
  }
}

export function statementsFor(
  allowed: Access,
  logs: ILogGroup,
  { secrets, queues, files, settings }: Resources,
): PolicyStatement[] {
  const { database, makesLogins, embeds, signsIn, calls, sends = [], receives, files: actions = [] } = allowed
  const keys = embeds ? (['provider', 'previous-provider'] as const) : []
  const logins = makesLogins ? databaseUsers.map((name) => `database-${name}` as const) : []
  const names = [database, ...logins, ...keys, signsIn && ('oidc' as const), calls && ('canary' as const)]
  const readable = names.flatMap((name) => (name && secrets[name]?.arn) || [])
  const sendable = sends.map((name) => queues[name].queueArn)
  return [
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logs.logGroupArn]),
    allow(['secretsmanager:GetSecretValue'], readable),
    allow(
      ['secretsmanager:PutSecretValue'],
      logins.map((name) => secrets[name].arn),
    ),
    allow(
      [...(readable.length > 0 ? ['kms:Decrypt'] : []), ...(makesLogins ? ['kms:GenerateDataKey'] : [])],
      settings.secretsKeyArn ? [settings.secretsKeyArn] : [],
    ),
    allow(['sqs:SendMessage'], sendable),
    allow(
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
      receives ? [queues[receives].queueArn] : [],
    ),
    allow(actions, [files.arnForObjects('*')]),
    allow(
      actions.flatMap((action) => keyActions[action] ?? []),
      [files.encryptionKey!.keyArn],
    ),
    allow(['s3:ListBucket'], allowed.listsFiles ? [files.bucketArn] : []),
    signsIn ? sendMail(settings) : [],
    allowed.more ?? [],
  ].flat()
}

/** Allows mails of the stage's sender only, by any SES identity that covers it. */
function sendMail({ mailFrom, region, account }: StageSettings): PolicyStatement[] {
  if (!mailFrom) return []
  const address = mailFrom.replace(/^.*<|>$/g, '')
  const arns = mailIdentitiesOf(mailFrom).map(
    (name) => `arn:${Aws.PARTITION}:ses:${region}:${account}:identity/${name}`,
  )
  return allow(['ses:SendEmail'], arns).map((each) => {
    each.addCondition('StringEquals', { 'ses:FromAddress': address })
    return each
  })
}

export function allow(actions: readonly string[], resources: string[]): PolicyStatement[] {
  return actions.length > 0 && resources.length > 0 ? [new PolicyStatement({ actions: [...actions], resources })] : []
}
