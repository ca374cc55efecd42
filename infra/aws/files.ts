import { Duration } from 'aws-cdk-lib'
import { AnyPrincipal, Effect, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { filesCors } from '../cors.ts'
import { acknowledge } from './rule-checks.ts'
import type { StageSettings } from './stages.ts'

/** A deleted file of a protected stage can be restored for this long: infra/runbook/restore.md. */
const deletedFileDays = 7

/** Creates the bucket of customers' files, encrypted with the stage's own key. It sends no events: the sender of a file reports its upload. */
export function createFilesBucket(scope: Construct, stack: string, settings: StageSettings): Bucket {
  const encryptionKey = new Key(scope, 'files-key', {
    description: 'Encrypts the files that customers upload.',
    enableKeyRotation: true,
    removalPolicy: settings.removal,
  })
  const bucket = new Bucket(scope, 'files', {
    // CloudFormation adopts a bucket that a lost stack has left only under a name without references.
    bucketName: `${stack}-files-${settings.account}-${settings.region}`,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.KMS,
    encryptionKey,
    bucketKeyEnabled: true,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    // No file overwrites another, because its key has the id of its upload. An old version is a deleted file.
    versioned: settings.terminationProtection,
    lifecycleRules: [
      {
        abortIncompleteMultipartUploadAfter: Duration.days(1),
        ...(settings.terminationProtection && {
          noncurrentVersionExpiration: Duration.days(deletedFileDays),
          expiredObjectDeleteMarker: true,
        }),
      },
    ],
    removalPolicy: settings.removal,
  })
  acknowledge(bucket, {
    'AwsSolutions-S1':
      'Three Lambdas read and write the files and log it. The dashboard signs and logs short-lived URLs for one file each. ' +
      'Access logs would be a second bucket with customers’ addresses and file names, which would need protection, too.',
  })
  return bucket
}

/** Denies the files to all other roles of the account, even to those with AWS's ReadOnlyAccess. */
export function restrictReading(bucket: Bucket, readers: readonly IRole[], { filesReaderArn }: StageSettings): void {
  const allowed = [...readers.map(({ roleArn }) => roleArn), ...(filesReaderArn ? [filesReaderArn] : [])]
  bucket.addToResourcePolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['s3:GetObject'],
      resources: [bucket.arnForObjects('*')],
      conditions: { ArnNotEquals: { 'aws:PrincipalArn': allowed } },
    }),
  )
}

/** Lets only the dashboard's pages send and show files. */
export function allowPagesFrom(bucket: Bucket, origin: string): void {
  bucket.addCorsRule({
    allowedOrigins: [origin],
    allowedMethods: filesCors.allowMethods.map((method) => HttpMethods[method]),
    maxAge: filesCors.maxAgeSeconds,
  })
}
