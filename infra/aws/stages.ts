import { join } from 'node:path'
import { RemovalPolicy } from 'aws-cdk-lib'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import { databaseUsers } from '../wiring.ts'
import { type ReservedConcurrency, regular, small } from './concurrency.ts'
import { readStageFile } from './stage-file.ts'

export const secretNames = [
  'database-owner',
  ...databaseUsers.map((name) => `database-${name}` as const),
  'provider',
  'previous-provider',
  'oidc',
  'canary',
] as const

export type SecretName = (typeof secretNames)[number]

export function secretNamesOf(settings: StageSettings): SecretName[] {
  return secretNames.filter((name) =>
    isProviderSecret(name) ? providerOf(settings, name) : name !== 'oidc' || settings.oidc,
  )
}

/** Whether the encoder is in its Lambdas. */
export const embedsItself = ({ provider, previousProvider }: StageSettings) =>
  [provider, previousProvider].includes('encoder')

/** The secrets that only some stages have. */
export type OptionalSecret = ProviderSecret | 'oidc'

export type ProviderSecret = 'provider' | 'previous-provider'

export const isProviderSecret = (name: SecretName): name is ProviderSecret => name.endsWith('provider')

/** The provider whose key the secret has; undefined for none. */
export function providerOf({ provider, previousProvider }: StageSettings, name: ProviderSecret): Provider | undefined {
  const found = name === 'provider' ? provider : previousProvider
  return found === 'encoder' ? undefined : found
}

export type Provider = {
  readonly baseUrl: string
  readonly model: string
  /** What the model wants before a question, such as `query: `, and before a passage. */
  readonly queryPrefix?: string
  readonly documentPrefix?: string
  /** Maximum size of a chunk, 400 by default: less than the model reads. */
  readonly chunkTokens?: number
}

export type StageSettings = {
  /** The only account the stage may be deployed to: credentials of another are refused. */
  readonly account: string
  readonly region: string
  /** Applies to logs, secrets and the alarm key when their resource leaves the stack. */
  readonly removal: RemovalPolicy
  readonly terminationProtection: boolean
  /** Whether a deploy shifts requests to new versions in steps, which alarms undo. */
  readonly shiftsTraffic: boolean
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number }
  /** Without it the Lambdas share the account's limit, as they must where that is below 1,000. */
  readonly reservedConcurrency?: ReservedConcurrency
  /** What Neon's smallest compute of the project admits; what all may use at once stays below it. */
  readonly databaseConnections: number
  /** Maximum concurrent embedding Lambdas (2 to 1000); the provider's quota is the first constraint. */
  readonly embeddingConcurrency: number
  /** Maximum concurrent extraction Lambdas (2 to 1000), each of which reads one file. */
  readonly extractionConcurrency: number
  /** Maximum concurrent crawler Lambdas (2 to 1000), each of which reads the pages of one source. */
  readonly crawlerConcurrency: number
  readonly logRetention: RetentionDays
  readonly logLevel: 'DEBUG' | 'INFO'
  readonly alarmAddress?: string
  /** Topic of the team's own for alarms, which chats and pagers subscribe to; CloudWatch must be allowed to publish to it. Then nothing is mailed to `alarmAddress`. */
  readonly alarmTopicArn?: string
  /** Origins whose pages may call the API, such as `https://app.example.com`, or `*`. */
  readonly corsOrigins?: readonly string[]
  readonly customDomain?: { readonly name: string; readonly certificateArn: string }
  /** Full ARNs of existing secrets; the secrets stack creates the others, empty. */
  readonly secretArns?: Readonly<Partial<Record<SecretName, string>>>
  /** ARN of the key that encrypts the stage's secrets, those of `secretArns` too, if it is not AWS's own. */
  readonly secretsKeyArn?: string
  /** Who sends the dashboard's mails, as an address or `Name <address>`: SES must have verified it, or its domain, in this region. */
  readonly mailFrom?: string
  /** Whether people may sign in to the dashboard with API keys. */
  readonly keySignIn?: boolean
  /** A provider of OpenID Connect whose accounts people sign in with. Its `name` is on the button; by default the issuer's host is. */
  readonly oidc?: { readonly issuer: string; readonly clientId: string; readonly name?: string }
  /** Where websites can complain about the crawler: a mailbox, or a page. The address of alarms by default. */
  readonly crawlerContact?: string
  /** ARN of the operators' role that may read customers' files, as an export for a customer does; without it only Lambdas may. */
  readonly filesReaderArn?: string
  /** The encoder needs no key and no network; it has meaning in English only. */
  readonly provider: Provider | 'encoder'
  /** The one before, which serves an agent until it has changed its model, and as long as it may return. */
  readonly previousProvider?: Provider | 'encoder'
  readonly oldestPendingSeconds: number
  /** More than this within 24 hours is an alarm: a million cost 0.02 dollars with the model of both stages. */
  readonly tokensPerDay: number
  /** The address of backups, `s3://BUCKET/PREFIX`, and the public key that encrypts them. */
  readonly backups?: { readonly to: string; readonly recipient: string }
  /** Whether a backup is made every night, so that an alarm watches for it. */
  readonly isBackedUp: boolean
  readonly runbookUrl: string
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

/** Without a team’s own settings: these are what `cdk synth` and the tests have. */
export const exampleStages = {
  dev: {
    ...common,
    removal: RemovalPolicy.DESTROY,
    terminationProtection: false,
    shiftsTraffic: false,
    throttle: { requestsPerSecond: 25, burst: 50 },
    reservedConcurrency: small,
    databaseConnections: 97,
    embeddingConcurrency: 2,
    extractionConcurrency: 2,
    crawlerConcurrency: 2,
    logRetention: RetentionDays.ONE_WEEK,
    logLevel: 'DEBUG',
    tokensPerDay: 20_000_000,
    isBackedUp: false,
  },
  prod: {
    ...common,
    removal: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    terminationProtection: true,
    shiftsTraffic: true,
    throttle: { requestsPerSecond: 400, burst: 300 },
    reservedConcurrency: regular,
    databaseConnections: 412,
    embeddingConcurrency: 10,
    extractionConcurrency: 5,
    crawlerConcurrency: 5,
    logRetention: RetentionDays.THREE_MONTHS,
    logLevel: 'INFO',
    tokensPerDay: 500_000_000,
    isBackedUp: true,
  },
} as const satisfies Record<string, StageSettings>

/** A file for each stage, which `npm run stage -- create` writes and a team reviews like code. */
export const stagesDirectory = join(import.meta.dirname, 'stages')

export type StageName = keyof typeof exampleStages

/** The settings of a stage: those of its file, and for the rest the ones above. */
export function findStage(name: string, directory = stagesDirectory): StageSettings | undefined {
  const example = Object.entries<StageSettings>(exampleStages).find(([each]) => each === name)?.[1]
  return example && { ...example, ...readStageFile(directory, name) }
}

export const stages: Readonly<Record<StageName, StageSettings>> = { dev: findStage('dev')!, prod: findStage('prod')! }
