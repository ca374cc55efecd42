export interface Price {
  /** US dollars for as many as `each` says; us-east-1, the first tier, without free tiers. */
  usd: number
  each?: number
  per: string
  source: string
}

const lambda = 'cloudchipr.com/blog/aws-lambda-pricing (2024), of AWS’s own page'
const gateway = 'awsforengineers.com/blog/aws-api-gateway-pricing-explained (May 2025)'
const cloudWatch =
  'factualminds.com/blog/amazon-cloudwatch-pricing… (June 2026), signoz.io/guides/cloudwatch-pricing (February 2026)'
const sqs = 'cloudburn.io/blog/amazon-sqs-pricing (March 2026)'
const kms = 'cloudburn.io/blog/aws-kms-pricing (March 2026)'
const neon = 'neon.com/docs/introduction/plans (Scale, as of March 2026; compute and storage also as of November 2026)'
const embeddings = 'openrouter.ai/openai/text-embedding-3-small (2026)'
const memory = 'not found: from memory'

const million = 1e6
const GB = 1e9

export const prices = {
  lambdaCompute: { usd: 13.3334, each: million, per: 'million GB-seconds of Lambda (arm64)', source: lambda },
  lambdaRequest: { usd: 0.2, each: million, per: 'million invocations', source: lambda },
  httpRequest: { usd: 1, each: million, per: 'million requests of an HTTP API', source: gateway },
  egress: { usd: 0.09, each: GB, per: 'GB out of AWS', source: gateway },
  logs: { usd: 0.5, each: GB, per: 'GB of logs', source: cloudWatch },
  metric: { usd: 0.3, per: 'metric of our own', source: cloudWatch },
  alarmMetric: { usd: 0.1, per: 'metric in an alarm', source: memory },
  dashboard: { usd: 3, per: 'dashboard', source: cloudWatch },
  trace: { usd: 5, each: million, per: 'million traces of X-Ray', source: memory },
  sqsRequest: { usd: 0.5, each: million, per: 'million requests to a fair queue', source: sqs },
  scheduledRun: { usd: 1, each: million, per: 'million runs of a schedule', source: memory },
  s3Put: { usd: 0.005, each: 1e3, per: 'thousand uploads to S3', source: memory },
  s3Get: { usd: 0.0004, each: 1e3, per: 'thousand downloads from S3', source: memory },
  s3Storage: { usd: 0.023, each: GB, per: 'GB-month of S3', source: memory },
  secret: { usd: 0.4, per: 'secret', source: memory },
  key: { usd: 1, per: 'key of KMS', source: kms },
  token: { usd: 0.02, each: million, per: 'million tokens embedded', source: embeddings },
  neonCompute: { usd: 0.222, per: 'compute-unit hour of Neon', source: neon },
  neonStorage: { usd: 0.35, each: GB, per: 'GB-month of Neon', source: neon },
  neonHistory: { usd: 0.2, each: GB, per: 'GB-month of Neon’s history', source: neon },
  neonEgress: { usd: 0.1, each: GB, per: 'GB out of Neon past 100 GB', source: neon },
} as const satisfies Record<string, Price>
