import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { LambdaName } from '../wiring.ts'
import type { Secrets } from './secrets.ts'
import type { SecretName, StageSettings } from './stages.ts'

export type Access = {
  readonly database?: Exclude<SecretName, 'provider'>
  readonly sends?: true
  readonly receives?: true
  readonly embeds?: true
}

export const access: { readonly [Name in LambdaName]: Access & { database?: `database-${Name}` } } = {
  documents: { database: 'database-documents', sends: true },
  chunks: { database: 'database-chunks' },
  search: { database: 'database-search', embeds: true },
  platforms: { database: 'database-platforms', embeds: true },
  mcp: { database: 'database-mcp', embeds: true },
  organization: { database: 'database-organization' },
  agents: { database: 'database-agents' },
  reference: {},
  embedding: { database: 'database-embedding', sends: true, receives: true, embeds: true },
  sweeper: { database: 'database-sweeper', sends: true },
}

export type Resources = { readonly secrets: Secrets; readonly queue: IQueue; readonly settings: StageSettings }

export function environmentFor(allowed: Access, { secrets, queue, settings }: Resources): Record<string, string> {
  return {
    LOG_LEVEL: settings.logLevel,
    ...(allowed.database && { DATABASE_SECRET_ARN: secrets[allowed.database].secretArn }),
    ...(allowed.sends && { QUEUE_URL: queue.queueUrl }),
    ...(allowed.embeds && {
      EMBEDDING_BASE_URL: settings.provider.baseUrl,
      EMBEDDING_MODEL: settings.provider.model,
      EMBEDDING_SECRET_ARN: secrets.provider.secretArn,
    }),
  }
}

/** X-Ray actions support no resources, hence the one wildcard. */
export function statementsFor(allowed: Access, logs: ILogGroup, { secrets, queue }: Resources): PolicyStatement[] {
  const readable = [allowed.database, allowed.embeds && ('provider' as const)].filter((name) => name !== undefined)
  return [
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logs.logGroupArn]),
    allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], ['*']),
    ...(readable.length > 0
      ? [
          allow(
            ['secretsmanager:GetSecretValue'],
            readable.map((name) => secrets[name].secretArn),
          ),
        ]
      : []),
    ...(allowed.sends ? [allow(['sqs:SendMessage'], [queue.queueArn])] : []),
    ...(allowed.receives
      ? [
          allow(
            ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
            [queue.queueArn],
          ),
        ]
      : []),
  ]
}

function allow(actions: string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources })
}
