import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQSClient } from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'
import { messageOf } from '../error-message.ts'
import { FileFolder } from './files/folder.ts'
import { serveFiles } from './files/routes.ts'
import { credentials, region } from './lambda.ts'
import { type SentMail, serveMail } from './mail.ts'
import { keepMessageGroups } from './queue/message-groups.ts'
import { createQueues, type LocalQueues, onLoopback } from './queue/queues.ts'

export interface Emulator {
  endpoint: string
  queues: LocalQueues
  bucket: string
  /** The last hundred sent mails, the newest last. */
  mails: SentMail[]
  /** Lets pages of this origin send files to the bucket. */
  allowOrigin(origin: string): void
  close(): Promise<void>
}

interface EmulatorOptions {
  port?: number
  /** The directory of the files; by default one that is removed on close. */
  filesDir?: string | undefined
  onMail?: ((mail: SentMail) => void) | undefined
}

const bucket = 'cuecard-files'
const maxMails = 100

/** Starts SQS, S3 and SES on loopback, with the wiring's queues and the bucket. @throws Error on one line if the port is not available */
export async function startEmulator({ port = 0, filesDir, onMail }: EmulatorOptions = {}): Promise<Emulator> {
  const directory = filesDir ?? (await mkdtemp(join(tmpdir(), 'cuecard-files-')))
  const folder = await FileFolder.open(directory)
  const origins = new Set<string>()
  // startFauxqs() would listen on every network interface.
  const app = buildApp({ logger: false })
  keepMessageGroups(app)
  let endpoint = ''
  const toLocal = onLoopback(app, () => endpoint)
  serveFiles(app, { bucket, folder, signer: { ...credentials, region }, origins })
  const mails: SentMail[] = []
  serveMail(app, (mail) => {
    mails.push(mail)
    mails.splice(0, mails.length - maxMails)
    onMail?.(mail)
  })
  try {
    endpoint = await app.listen({ port, host: '127.0.0.1' })
  } catch (error) {
    throw new Error(`cannot start SQS, S3 and SES: ${messageOf(error)}`)
  }
  await fetch(`${endpoint}/${bucket}`, { method: 'PUT' })
  const sqs = new SQSClient({ endpoint, region, credentials })
  const queues = await createQueues(sqs, toLocal)
  return {
    endpoint,
    queues,
    bucket,
    mails,
    allowOrigin: (origin) => void origins.add(origin),
    async close() {
      sqs.destroy()
      await app.close()
      if (filesDir === undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}
