import type { S3Client } from '@aws-sdk/client-s3'
import { config, required } from '../config.ts'
import { inTime } from '../time/deadline.ts'

/** Customers' files. A key is a path without a leading slash. */
export interface Bucket {
  /** Returns undefined when there is no file, or none with the given ETag. @throws FileTooLarge, FileOverwritten, Unavailable */
  get(key: string, maxBytes: number, eTag?: string | null): Promise<StoredFile | undefined>
  /** Safe to repeat: a missing file counts as deleted. @throws Unavailable, and then some may be left */
  delete(keys: readonly string[]): Promise<void>
  /** The first 1,000 keys with this prefix, in order. @throws Unavailable */
  list(prefix: string): Promise<string[]>
}

export interface StoredFile {
  bytes: Buffer
  eTag: string
}

export class FileOverwritten extends Error {
  override readonly name = 'FileOverwritten'
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge'
}

const service = 'file_storage'
/** The limits of one request, so that a socket that died in a Lambda's freeze leaves time for another. */
const timeouts = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true }
const getMilliseconds = 40_000
const deleteMilliseconds = 15_000
const maxPerRequest = 1_000

const sdk = () => import('@aws-sdk/client-s3')

export function configuredBucket(): Bucket {
  const name = required('FILES_BUCKET')
  const { AWS_ENDPOINT_URL_S3: endpoint } = config()
  let opened: Promise<S3Client> | undefined
  const open = () => {
    opened ??= sdk().then(({ S3Client }) => {
      return new S3Client({ requestHandler: timeouts, forcePathStyle: endpoint !== undefined })
    })
    return opened
  }
  return {
    async get(key, maxBytes, eTag = null) {
      const s3 = await open()
      const wanted = { name, key, maxBytes, eTag }
      const found = await inTime(service, getMilliseconds, (signal) => download(s3, { ...wanted, signal }))
      if (found === 'too large') throw new FileTooLarge(`${key} has more than ${maxBytes} bytes`)
      if (found === 'overwritten') throw new FileOverwritten(`${key} is no longer ${eTag}`)
      return found
    },
    async delete(keys) {
      const s3 = await open()
      for (let begin = 0; begin < keys.length; begin += maxPerRequest)
        await deleteAtOnce(s3, name, keys.slice(begin, begin + maxPerRequest))
    },
    list: async (prefix) => await listKeys(await open(), name, prefix),
  }
}

type Wanted = { name: string; key: string; maxBytes: number; eTag: string | null; signal: AbortSignal }

async function download(s3: S3Client, { name, key, maxBytes, eTag, signal }: Wanted) {
  const { GetObjectCommand } = await sdk()
  try {
    const command = new GetObjectCommand({ Bucket: name, Key: key, ...(eTag && { IfMatch: eTag }) })
    const {
      Body,
      ETag = '',
      ContentLength = Number.POSITIVE_INFINITY,
    } = await s3.send(command, { abortSignal: signal })
    if (ContentLength > maxBytes) {
      await Body?.transformToWebStream().cancel()
      return 'too large'
    }
    const bytes = await Body!.transformToByteArray()
    return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), eTag: ETag }
  } catch (error) {
    if (isMissing(error)) return undefined
    if ((error as Error).name === 'PreconditionFailed') return 'overwritten'
    throw error
  }
}

/** S3 answers AccessDenied for a missing file if the role may not list the bucket. For a forbidden file it names the action. */
function isMissing(error: unknown): boolean {
  const { name, message } = error as Error
  return name === 'NoSuchKey' || (name === 'AccessDenied' && !message.includes('s3:GetObject'))
}

async function listKeys(s3: S3Client, name: string, prefix: string): Promise<string[]> {
  const { ListObjectsV2Command } = await sdk()
  const command = new ListObjectsV2Command({ Bucket: name, Prefix: prefix, MaxKeys: maxPerRequest })
  return await inTime(service, deleteMilliseconds, async (abortSignal) => {
    const { Contents = [] } = await s3.send(command, { abortSignal })
    return Contents.map(({ Key }) => Key!)
  })
}

async function deleteAtOnce(s3: S3Client, name: string, keys: readonly string[]): Promise<void> {
  const { DeleteObjectsCommand } = await sdk()
  const command = new DeleteObjectsCommand({
    Bucket: name,
    Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
  })
  await inTime(service, deleteMilliseconds, async (abortSignal) => {
    const { Errors: [failed] = [] } = await s3.send(command, { abortSignal })
    if (failed) throw new Error(`${failed.Key}: ${failed.Code} ${failed.Message}`)
  })
}
