import { beforeAll, describe, expect, test } from 'vitest'
import { readerLimits } from '../../functions/extraction/text/extract-text.ts'
import { type LambdaName, lambdas, type QueueName, queues as queueSettings } from '../../infra/wiring.ts'
import { processing } from '../../shared/documents/processing/guards.ts'
import { crawling } from '../../shared/websites/transitions.ts'
import {
  type Fields,
  logicalId,
  type StackTemplate,
  type StageUnderTest,
  useSynthesis,
} from '../support/aws/aws-template.ts'

const synthesis = useSynthesis()
let prod: StackTemplate
const queueNames = Object.keys(queueSettings) as QueueName[]
const lambdaNames = Object.keys(lambdas) as LambdaName[]

beforeAll(() => {
  prod = synthesis.stack('prod')
})

const bucketOf = (stage: StageUnderTest) => synthesis.stack(stage).ofType('AWS::S3::Bucket')[0]!

describe.each(queueNames)('the %s queue', (name) => {
  const work = () => prod.one('AWS::SQS::Queue', 'QueueName', `cuecard-prod-${name}`)
  const timeout = () => Number(prod.lambda(name).Properties.Timeout)

  test('hides a message for six times its Lambda’s time-out, until the lease of a crashed delivery is over', () => {
    expect(Number(work()[1].Properties.VisibilityTimeout)).toBeGreaterThanOrEqual(6 * timeout())
    const lease = (name === 'crawler' ? crawling : processing).leaseSeconds
    expect(Number(work()[1].Properties.VisibilityTimeout)).toBeGreaterThan(lease)
    const isRenewed = name === 'extraction'
    expect(lease).toBeGreaterThan(isRenewed ? 2 * readerLimits.seconds : timeout())
    expect(timeout()).toBeGreaterThan(isRenewed ? readerLimits.secondsInAll : 0)
  })

  test('moves a message after five deliveries at the earliest to dead letters, which outlive messages', () => {
    const { MessageRetentionPeriod, RedrivePolicy } = work()[1].Properties
    const { deadLetterTargetArn, maxReceiveCount } = RedrivePolicy as Fields
    expect(Number(maxReceiveCount)).toBeGreaterThanOrEqual(5)
    expect(prod.resolve(deadLetterTargetArn!)).toBe(`cuecard-prod-${name}-dead-letters`)
    const [, deadLetters] = prod.one('AWS::SQS::Queue', 'QueueName', `cuecard-prod-${name}-dead-letters`)
    expect(Number(deadLetters.Properties.MessageRetentionPeriod)).toBeGreaterThan(Number(MessageRetentionPeriod))
  })

  test('is polled by its Lambda, which reports failures by record, at a limited concurrency', () => {
    const mappings = prod
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(([, { Properties }]) => prod.resolve(Properties.EventSourceArn!) === `cuecard-prod-${name}`)
    expect(mappings).toHaveLength(1)
    const { Properties } = mappings[0]![1]
    expect(prod.resolve(Properties.FunctionName!)).toBe(`cuecard-prod-${name}:live`)
    expect(Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures'])
    expect(Properties.BatchSize).toBe(queueSettings[name].batchSize)
    expect(Properties.ScalingConfig).toEqual({ MaximumConcurrency: queueSettings[name].maximumConcurrency })
  })
})

test('a Lambda may send to the queue that feeds it: AWS stops recursive loops of the other Lambdas only', () => {
  for (const name of lambdaNames) {
    const expected = name in queueSettings ? 'Allow' : undefined
    expect(prod.lambda(name).Properties.RecursiveLoop, name).toBe(expected)
  }
})

describe('the files', () => {
  test('are in one bucket, which is closed to the public and lets nobody in by its policy', () => {
    expect(prod.ofType('AWS::S3::Bucket')).toHaveLength(1)
    const [id, { Properties }] = bucketOf('prod')
    expect(Object.values(Properties.PublicAccessBlockConfiguration as Fields)).toEqual([true, true, true, true])
    expect(allowedBy('AWS::S3::BucketPolicy', id)).toEqual([])
  })

  test('are read by the Lambdas that need them and the operators’ role, and denied to every other role of the account', () => {
    const readersOf = (stage: StageUnderTest) => {
      const template = synthesis.stack(stage)
      const statements = statementsOf(template, 'AWS::S3::BucketPolicy', bucketOf(stage)[0])
      const [denied, ...others] = statements.filter(({ Action }) => Action === 's3:GetObject')
      expect(others).toEqual([])
      expect(denied).toMatchObject({ Effect: 'Deny', Principal: { AWS: '*' } })
      const { ArnNotEquals, ...conditions } = denied!.Condition as { ArnNotEquals: Fields }
      expect(conditions).toEqual({})
      return [ArnNotEquals['aws:PrincipalArn']!].flat()
    }
    const roles = ['dashboard', 'extraction'].map((name) => prod.lambda(name).Properties.Role!)
    expect(readersOf('prod')).toEqual(roles)
    expect(readersOf('everything')).toContain('arn:aws:iam::111122223333:role/files')
  })

  test('are encrypted with a key of the stage’s own, which is rotated', () => {
    const [{ ServerSideEncryptionByDefault: rule }] = (
      bucketOf('prod')[1].Properties.BucketEncryption as { ServerSideEncryptionConfiguration: [Record<string, Fields>] }
    ).ServerSideEncryptionConfiguration
    const key = rule!.KMSMasterKeyID!
    expect(rule!.SSEAlgorithm).toBe('aws:kms')
    expect(prod.resources[logicalId(key)]!.Properties.EnableKeyRotation).toBe(true)
  })

  test('outlive their deletion by a week and their stack in production, but not in dev', () => {
    const { VersioningConfiguration, LifecycleConfiguration } = bucketOf('prod')[1].Properties
    expect(VersioningConfiguration).toEqual({ Status: 'Enabled' })
    expect(LifecycleConfiguration).toMatchObject({ Rules: [{ NoncurrentVersionExpiration: { NoncurrentDays: 7 } }] })
    expect(bucketOf('dev')[1].Properties.VersioningConfiguration).toBeUndefined()
    expect(bucketOf('prod')[1].DeletionPolicy).toBe('RetainExceptOnCreate')
    expect(bucketOf('dev')[1].DeletionPolicy).toBe('Delete')
  })

  test('are posted only by pages of the dashboard', () => {
    const corsOf = (stage: StageUnderTest) => {
      const [, { Properties }] = bucketOf(stage)
      const [rule, ...others] = (Properties.CorsConfiguration as { CorsRules: Fields[] }).CorsRules
      expect(others).toEqual([])
      const { AllowedMethods, AllowedOrigins, AllowedHeaders } = rule!
      return { AllowedMethods, AllowedOrigins, AllowedHeaders }
    }
    const [api] = prod.ofType('AWS::ApiGatewayV2::Api')[0]!
    const AllowedOrigins = [{ 'Fn::GetAtt': [api, 'ApiEndpoint'] }]
    expect(corsOf('prod')).toEqual({ AllowedMethods: ['GET', 'POST'], AllowedOrigins })
    expect(corsOf('everything').AllowedOrigins).toEqual(['https://api.cuecard.example'])
  })

  test('cause no notification: no queue accepts a message of the bucket', () => {
    expect(bucketOf('prod')[1].Properties.NotificationConfiguration).toBeUndefined()
    for (const [id] of prod.ofType('AWS::SQS::Queue')) expect(allowedBy('AWS::SQS::QueuePolicy', id)).toEqual([])
  })
})

/** The statements that allow something in the policy of a queue or a bucket; the rule packs check TLS and encryption. */
function allowedBy(type: string, target: string): Fields[] {
  return statementsOf(prod, type, target).filter(({ Effect }) => Effect === 'Allow')
}

function statementsOf(template: StackTemplate, type: string, target: string): Fields[] {
  const [, { Properties }] = template
    .ofType(type)
    .find(([, { Properties: each }]) =>
      [each.Queues ?? each.Bucket!].flat().some((reference) => logicalId(reference) === target),
    )!
  return (Properties.PolicyDocument as { Statement: Fields[] }).Statement
}
