import { Aws, Duration, Stack } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3'
import type { CfnQueuePolicy, Queue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { filesCors } from '../cors.ts'
import { acknowledge } from './rule-checks.ts'
import type { StageSettings } from './stages.ts'

/** The files that customers upload. Each upload is announced on `queue`. */
export function createFilesBucket(scope: Construct, stack: string, queue: Queue, settings: StageSettings): Bucket {
  // Named, so that the policy of the queue can name it: references in both directions would be a circular dependency.
  const bucketName = `${stack}-files-${Aws.ACCOUNT_ID}-${Aws.REGION}`
  const bucket = new Bucket(scope, 'files', {
    bucketName,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    // A file that is deleted has to be gone. None is ever overwritten by another: its key has the id of its document.
    versioned: false,
    lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    removalPolicy: settings.removal,
  })
  acknowledge(bucket, {
    'AwsSolutions-S1':
      'Files are reached by three Lambdas, which log what they do, and by URLs that the dashboard signs for one file each and ' +
      'a short time, and logs. Access logs would be a second bucket of addresses and file names of customers, to be protected in turn.',
  })
  announceUploads(bucket, bucketName, queue)
  return bucket
}

/** By the bucket's own setting: CDK's addEventNotification() would add a Lambda that may change the settings of every bucket. */
function announceUploads(bucket: Bucket, bucketName: string, queue: Queue): void {
  const stack = Stack.of(bucket)
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('s3.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: {
        ArnEquals: { 'aws:SourceArn': `arn:${stack.partition}:s3:::${bucketName}` },
        StringEquals: { 'aws:SourceAccount': stack.account },
      },
    }),
  )
  const resource = bucket.node.defaultChild as CfnBucket
  resource.notificationConfiguration = {
    queueConfigurations: [{ event: 's3:ObjectCreated:*', queue: queue.queueArn }],
  }
  // S3 sends a test message when the setting is made, and rejects the setting if it may not.
  resource.addResourceDependency(queue.node.findChild('Policy').node.defaultChild as CfnQueuePolicy)
}

/** Lets the pages of the dashboard send files, which no other page may. */
export function allowUploadsFrom(bucket: Bucket, origin: string): void {
  bucket.addCorsRule({
    allowedOrigins: [origin],
    allowedMethods: filesCors.allowMethods.map((method) => HttpMethods[method]),
    maxAge: filesCors.maxAgeSeconds,
  })
}
