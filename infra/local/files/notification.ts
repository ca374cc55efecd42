import type { S3Event } from 'aws-lambda'
import { region } from '../lambda.ts'

export interface Upload {
  key: string
  bytes: number
  /** Without quotes. */
  eTag: string
  sourceIp: string
}

/** What S3 sends to a queue when a browser has posted a file. */
export function uploadEvent(bucket: string, { key, bytes, eTag, sourceIp }: Upload): S3Event {
  const owner = { principalId: 'LOCAL' }
  return {
    Records: [
      {
        eventVersion: '2.1',
        eventSource: 'aws:s3',
        awsRegion: region,
        eventTime: new Date().toISOString(),
        eventName: 'ObjectCreated:Post',
        userIdentity: owner,
        requestParameters: { sourceIPAddress: sourceIp },
        responseElements: { 'x-amz-request-id': crypto.randomUUID(), 'x-amz-id-2': 'local' },
        s3: {
          s3SchemaVersion: '1.0',
          configurationId: 'uploads',
          bucket: { name: bucket, ownerIdentity: owner, arn: `arn:aws:s3:::${bucket}` },
          object: { key: formEncoded(key), size: bytes, eTag, sequencer: Date.now().toString(16).toUpperCase() },
        },
      },
    ],
  }
}

/** As in a form: a space is a plus sign. */
function formEncoded(key: string): string {
  return new URLSearchParams({ key }).toString().slice('key='.length).replaceAll('%2F', '/')
}
