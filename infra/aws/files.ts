import { Aws, Duration } from 'aws-cdk-lib'
import { AnyPrincipal, Effect, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { filesCors } from '../cors.ts'
import { acknowledge } from './rule-checks.ts'
import type { StageSettings } from './stages.ts'

/** How long a file of a protected stage can be brought back after its deletion: infra/runbook/restore.md. */
const deletedFileDays = 7

/** The files that customers upload, encrypted with a key of the stage's own. It notifies nobody: whoever has posted a file reports that to the dashboard. */
export function createFilesBucket(scope: Construct, stack: string, settings: StageSettings): Bucket {
  const encryptionKey = new Key(scope, 'files-key', {
    description: 'Encrypts the files that customers upload.',
    enableKeyRotation: true,
    removalPolicy: settings.removal,
  })
  const bucket = new Bucket(scope, 'files', {
    bucketName: `${stack}-files-${Aws.ACCOUNT_ID}-${Aws.REGION}`,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.KMS,
    encryptionKey,
    bucketKeyEnabled: true,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    // None overwrites another's, since its key has the id of its upload: a version is a file that was deleted.
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
      'Files are reached by three Lambdas, which log what they do, and by URLs that the dashboard signs for one file each and ' +
      'a short time, and logs. Access logs would be a second bucket of addresses and file names of customers, to be protected in turn.',
  })
  return bucket
}

/** Denies the files to all other roles of the account, those of AWS's ReadOnlyAccess too. */
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

/** Lets the pages of the dashboard send files and show them, which no other page may. */
export function allowPagesFrom(bucket: Bucket, origin: string): void {
  bucket.addCorsRule({
    allowedOrigins: [origin],
    allowedMethods: filesCors.allowMethods.map((method) => HttpMethods[method]),
    maxAge: filesCors.maxAgeSeconds,
  })
}
