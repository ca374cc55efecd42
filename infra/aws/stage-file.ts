import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'

const https = v.pipe(v.string(), v.startsWith('https://', 'must begin with https://'), v.url('must be a URL'))

/** Each answer of a team. None is secret. */
export const answers = {
  account: v.pipe(v.string(), v.regex(/^\d{12}$/, 'must be an account of twelve digits')),
  region: v.pipe(v.string(), v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-central-1')),
  alarmAddress: v.pipe(v.string(), v.email('must be a mail address')),
  runbookUrl: https,
  providerUrl: v.pipe(v.string(), v.url('must be a URL such as https://api.openai.com/v1')),
  model: v.pipe(v.string(), v.nonEmpty('must not be empty')),
  domain: v.pipe(v.string(), v.regex(/^([a-z0-9-]+\.)+[a-z]{2,}$/, 'must be a name such as api.example.com')),
  certificateArn: v.pipe(v.string(), v.startsWith('arn:aws', 'must be the ARN of a certificate in ACM')),
  backupsTo: v.pipe(v.string(), v.nonEmpty('must be an address such as s3://bucket/prod')),
  backupRecipient: v.pipe(v.string(), v.startsWith('age1', 'must be the public key that npm run backup -- key prints')),
}

const provider = v.union([
  v.literal('encoder'),
  v.strictObject({
    baseUrl: answers.providerUrl,
    model: answers.model,
    queryPrefix: v.exactOptional(v.string()),
    documentPrefix: v.exactOptional(v.string()),
    chunkTokens: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4096))),
  }),
])

const stageFile = v.strictObject({
  account: answers.account,
  region: answers.region,
  alarmAddress: v.exactOptional(answers.alarmAddress),
  alarmTopicArn: v.exactOptional(v.pipe(v.string(), v.startsWith('arn:aws', 'must be the ARN of an SNS topic'))),
  runbookUrl: v.exactOptional(https),
  provider: v.exactOptional(provider),
  previousProvider: v.exactOptional(provider),
  customDomain: v.exactOptional(v.strictObject({ name: answers.domain, certificateArn: answers.certificateArn })),
  backups: v.exactOptional(v.strictObject({ to: answers.backupsTo, recipient: answers.backupRecipient })),
  corsOrigins: v.exactOptional(v.array(v.string())),
  crawlerContact: v.exactOptional(v.string()),
  filesReaderArn: v.exactOptional(v.pipe(v.string(), v.startsWith('arn:aws', 'must be the ARN of a role'))),
  secretsKeyArn: v.exactOptional(v.pipe(v.string(), v.startsWith('arn:aws', 'must be the ARN of a key'))),
  secretArns: v.exactOptional(v.record(v.string(), v.string())),
})

export type StageFile = v.InferOutput<typeof stageFile>

export const stageFilePath = (directory: string, stage: string) => join(directory, `${stage}.json`)

/** @returns nothing where the stage has no file @throws Error that names what is wrong with it */
export function readStageFile(directory: string, stage: string): StageFile | undefined {
  const path = stageFilePath(directory, stage)
  if (!existsSync(path)) return undefined
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), stageFile), readFileSync(path, 'utf8'))
  if (result.success) return result.output
  const faults = result.issues.map((issue) => `${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`)
  throw new Error(`${path} is not a stage’s file: ${faults.join('; ')}`)
}

export async function writeStageFile(directory: string, stage: string, file: StageFile): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(stageFilePath(directory, stage), `${JSON.stringify(file, undefined, 2)}\n`)
}
