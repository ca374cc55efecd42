import { RemovalPolicy } from 'aws-cdk-lib'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'

export const secretNames = [
  'database-owner',
  'database-documents',
  'database-chunks',
  'database-search',
  'database-platforms',
  'database-mcp',
  'database-organization',
  'database-agents',
  'database-embedding',
  'database-sweeper',
  'provider',
] as const

export type SecretName = (typeof secretNames)[number]

/** Only the previous release reads these: a rollback needs them. To be dropped in the next release. */
export const retiredSecretNames = ['database-api'] as const

export type RetiredSecretName = (typeof retiredSecretNames)[number]

export type StageSettings = {
  /** Applies to logs, secrets and the alarm key when their resource leaves the stack. */
  readonly removal: RemovalPolicy
  readonly terminationProtection: boolean
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number }
  /** Maximum concurrent embedding Lambdas (2 to 1000); the provider's quota is the first constraint. */
  readonly embeddingConcurrency: number
  readonly logRetention: RetentionDays
  readonly logLevel: 'DEBUG' | 'INFO'
  readonly alarmAddress?: string
  /** Whose pages may call the API, such as `https://app.example.com`, or `*`; without any, no page of another origin may. */
  readonly corsOrigins?: readonly string[]
  readonly customDomain?: { readonly name: string; readonly certificateArn: string }
  /** Full ARNs of existing secrets; without it the secrets stack creates all of them, empty. */
  readonly secretArns?: Readonly<Record<SecretName, string>>
  readonly provider: { readonly baseUrl: string; readonly model: string }
  readonly oldestPendingSeconds: number
  readonly runbookUrl: string
}

const provider = { baseUrl: 'https://api.openai.com/v1', model: 'text-embedding-3-small' }
/** Replace it with the URL at which your team reads this repository. */
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
