import { Aws, Duration } from 'aws-cdk-lib'
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { filesCors } from '../cors.ts'
import { acknowledge } from './rule-checks.ts'
import type { StageSettings } from './stages.ts'

/** The files that customers upload. It notifies nobody: whoever has posted a file reports that to the dashboard. */
export function createFilesBucket(scope: Construct, stack: string, settings: StageSettings): Bucket {
  const bucket = new Bucket(scope, 'files', {
    bucketName: `${stack}-files-${Aws.ACCOUNT_ID}-${Aws.REGION}`,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    // A file that is deleted has to be gone. None overwrites another's: its key has the id of its upload.
    versioned: false,
    lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    removalPolicy: settings.removal,
  })
  acknowledge(bucket, {
    'AwsSolutions-S1':
      'Files are reached by three Lambdas, which log what they do, and by URLs that the dashboard signs for one file each and ' +
      'a short time, and logs. Access logs would be a second bucket of addresses and file names of customers, to be protected in turn.',
  })
  return bucket
}

/** Lets the pages of the dashboard send files and show them, which no other page may. */
export function allowPagesFrom(bucket: Bucket, origin: string): void {
  bucket.addCorsRule({
    allowedOrigins: [origin],
    allowedMethods: filesCors.allowMethods.map((method) => HttpMethods[method]),
    maxAge: filesCors.maxAgeSeconds,
  })
}
