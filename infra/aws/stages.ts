import { RemovalPolicy } from 'aws-cdk-lib'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'

/** The secrets, each holding one plain string: a connection URL, or the provider's key. */
export const secretNames = [
  'database-owner',
  'database-documents',
  'database-chunks',
  'database-search',
  'database-organization',
  'database-embedding',
  'database-sweeper',
  'provider',
] as const

export type SecretName = (typeof secretNames)[number]

/**
 * Secrets that only the release before reads: until an upgrade has replaced its Lambdas CloudFormation refuses to remove the
 * export, and a rollback brings them back. The next release drops them.
 */
export const retiredSecretNames = ['database-api'] as const

export type RetiredSecretName = (typeof retiredSecretNames)[number]

/** All that differs between deployments. */
export type StageSettings = {
  /** What becomes of logs and secrets when their resource leaves the stack. */
  readonly removal: RemovalPolicy
  readonly terminationProtection: boolean
  /** Of the whole HTTP API, all keys together. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number }
  /** How many embedding Lambdas may run at once (2 to 1000): bound by the provider's quota before all else. */
  readonly embeddingConcurrency: number
  readonly logRetention: RetentionDays
  readonly logLevel: 'DEBUG' | 'INFO'
  /** Where alarms are mailed; the address must confirm the subscription. */
  readonly alarmAddress?: string
  /** The certificate is one of AWS Certificate Manager in the stack's region. */
  readonly customDomain?: { readonly name: string; readonly certificateArn: string }
  /** Secrets that exist already, by their full ARN; without it the stack creates all of them, empty. */
  readonly secretArns?: Readonly<Record<SecretName, string>>
  /** An OpenAI-compatible `/embeddings` endpoint. */
  readonly provider: { readonly baseUrl: string; readonly model: string }
  /** The age at which a waiting document rings the alarm. */
  readonly oldestPendingSeconds: number
  /** Where `infra/README.md` can be read; alarms link to its headings. */
  readonly runbookUrl: string
}

const provider = { baseUrl: 'https://api.openai.com/v1', model: 'text-embedding-3-small' }
/** Not a real address: put the one where your team reads this repository. */
const runbookUrl = 'https://cuecard.example/infra/README.md'

export const stages = {
  dev: {
    removal: RemovalPolicy.DESTROY,
    terminationProtection: false,
    throttle: { requestsPerSecond: 50, burst: 100 },
    embeddingConcurrency: 2,
    logRetention: RetentionDays.ONE_WEEK,
    logLevel: 'DEBUG',
    provider,
    oldestPendingSeconds: 900,
    runbookUrl,
  },
  prod: {
    removal: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    terminationProtection: true,
    throttle: { requestsPerSecond: 500, burst: 1000 },
    embeddingConcurrency: 10,
    logRetention: RetentionDays.THREE_MONTHS,
    logLevel: 'INFO',
    provider,
    oldestPendingSeconds: 900,
    runbookUrl,
  },
} as const satisfies Record<string, StageSettings>

export type StageName = keyof typeof stages
