import { RemovalPolicy } from 'aws-cdk-lib'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import { databaseUsers, type QueueName } from '../wiring.ts'
import { type ReservedConcurrency, regular, small } from './concurrency.ts'
import { readStageFile, type StageFile, stagesDirectory } from './stage-file.ts'

export const secretNames = [
  'database-owner',
  ...databaseUsers.map((name) => `database-${name}` as const),
  'provider',
  'previous-provider',
  'oidc',
  'canary',
] as const

export type SecretName = (typeof secretNames)[number]

/** The stage's secrets. Two models of one provider share its key. */
export function secretNamesOf(settings: StageSettings): SecretName[] {
  const [own, previous] = [providerOf(settings, 'provider'), providerOf(settings, 'previous-provider')]
  const isPresent = {
    provider: own,
    'previous-provider': previous?.baseUrl !== own?.baseUrl && previous,
    oidc: settings.oidc,
  }
  return secretNames.filter((name) => !(name in isPresent) || isPresent[name as OptionalSecret])
}

/**
 * A secret's name, or its ARN if the stage names one. A provider's key is under its address, so that neither a running release nor one that
 * returns sends it to another provider.
 */
export function secretIdOf(stage: string, settings: StageSettings, name: SecretName): string {
  const provider = isProviderSecret(name) ? providerOf(settings, name) : undefined
  const address = provider?.baseUrl.replace(/^https?:\/\/|\/$/g, '').replaceAll(/[^\w./-]/g, '_')
  return settings.secretArns?.[name] ?? `cuecard/${stage}/${address ? `provider/${address}` : name}`
}

/** The identities with which SES may send from an address: it, its domain, and the domains above. */
export function mailIdentitiesOf(mailFrom: string | undefined): string[] {
  if (mailFrom === undefined) return []
  const address = mailFrom.replace(/^.*<|>$/g, '')
  const labels = address.split('@')[1]!.split('.')
  return [address, ...labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))]
}

/** True if the stage's Lambdas contain the encoder. */
export const embedsItself = ({ provider, previousProvider }: StageSettings) =>
  [provider, previousProvider].includes('encoder')

/** The secrets that only some stages have. */
export type OptionalSecret = ProviderSecret | 'oidc'

type ProviderSecret = 'provider' | 'previous-provider'

export const isProviderSecret = (name: SecretName): name is ProviderSecret => name.endsWith('provider')

/** The provider that the secret has the key of; undefined if none. */
export function providerOf({ provider, previousProvider }: StageSettings, name: ProviderSecret): Provider | undefined {
  const found = name === 'provider' ? provider : previousProvider
  return found === 'encoder' ? undefined : found
}

export type Provider = Exclude<StageFile['provider'], 'encoder' | undefined>

type Throttle = { readonly requestsPerSecond: number; readonly burst: number }

export type StageSettings = Readonly<Omit<StageFile, 'provider' | 'runbookUrl'>> & {
  readonly provider: Provider | 'encoder'
  readonly runbookUrl: string
  /** Applies to logs, secrets and the alarm key when their resource leaves the stack. */
  readonly removal: RemovalPolicy
  readonly terminationProtection: boolean
  /** Makes a deploy shift requests to new versions in steps, which alarms undo. */
  readonly shiftsTraffic: boolean
  readonly throttle: Throttle & {
    /** The limits of each route that anybody may call without a key, instead of the others'. */
    readonly open: Throttle
  }
  /** Without it, the Lambdas share the account's limit. They must share a limit below 1,000. */
  readonly reservedConcurrency?: ReservedConcurrency
  /** The maximum connections of the project's smallest Neon compute. All users together stay below it. */
  readonly databaseConnections: number
  /** Maximum concurrent Lambdas of each queue (2 to 1000). For `embedding`, the provider's quota is the first constraint. */
  readonly workers: Readonly<Record<QueueName, number>>
  readonly logRetention: RetentionDays
  readonly logLevel: 'DEBUG' | 'INFO'
  readonly oldestPendingSeconds: number
  /** More tokens within 24 hours raise an alarm. A million tokens of both stages' model cost 0.02 dollars. */
  readonly tokensPerDay: number
  /** The account's cost without Neon and the provider, which bill themselves. Nearing it raises a warning. */
  readonly dollarsPerMonth: number
  /** True if a backup is made every night, which an alarm then watches for. */
  readonly isBackedUp: boolean
}

export const exampleAccount = '111122223333'
const common = {
  account: exampleAccount,
  region: 'eu-central-1',
  provider: { baseUrl: 'https://api.openai.com/v1', model: 'text-embedding-3-small' },
  oldestPendingSeconds: 900,
  /** Replace it with the URL at which your team reads infra/runbook. */
  runbookUrl: 'https://cuecard.example/infra/runbook',
} as const

/** The stages without a team’s own settings, for `cdk synth` and the tests. */
export const exampleStages = {
  dev: {
    ...common,
    removal: RemovalPolicy.DESTROY,
    terminationProtection: false,
    shiftsTraffic: false,
    throttle: { requestsPerSecond: 25, burst: 50, open: { requestsPerSecond: 15, burst: 50 } },
    reservedConcurrency: small,
    databaseConnections: 97,
    workers: { embedding: 2, extraction: 2, crawler: 2 },
    logRetention: RetentionDays.ONE_WEEK,
    logLevel: 'DEBUG',
    tokensPerDay: 20_000_000,
    dollarsPerMonth: 50,
    isBackedUp: false,
  },
  prod: {
    ...common,
    removal: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    terminationProtection: true,
    shiftsTraffic: true,
    throttle: { requestsPerSecond: 400, burst: 300, open: { requestsPerSecond: 50, burst: 100 } },
    reservedConcurrency: regular,
    databaseConnections: 412,
    workers: { embedding: 10, extraction: 5, crawler: 5 },
    logRetention: RetentionDays.THREE_MONTHS,
    logLevel: 'INFO',
    tokensPerDay: 500_000_000,
    dollarsPerMonth: 100,
    isBackedUp: true,
  },
} as const satisfies Record<string, StageSettings>

export type StageName = keyof typeof exampleStages

/** A stage's settings: those in its file, and otherwise the ones above. */
export function findStage(name: string, directory = stagesDirectory): StageSettings | undefined {
  const example = Object.entries<StageSettings>(exampleStages).find(([each]) => each === name)?.[1]
  return example && { ...example, ...readStageFile(directory, name) }
}

export const stages: Readonly<Record<StageName, StageSettings>> = { dev: findStage('dev')!, prod: findStage('prod')! }
