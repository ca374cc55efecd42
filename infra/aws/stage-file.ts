import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { mailSender } from '../../shared/config.ts'

const https = v.pipe(v.string(), v.startsWith('https://', 'must begin with https://'), v.url('must be a URL'))

const mail = v.pipe(v.string(), v.email('must be a mail address'))
const arn = (of: string) => v.pipe(v.string(), v.startsWith('arn:aws', `must be the ARN of ${of}`))
const matching = (pattern: RegExp, what: string) => v.pipe(v.string(), v.regex(pattern, `must be ${what}`))

const provider = v.union([
  v.literal('encoder'),
  v.strictObject({
    baseUrl: v.pipe(v.string(), v.url('must be a URL such as https://api.openai.com/v1')),
    model: v.pipe(v.string(), v.nonEmpty('must not be empty')),
    queryPrefix: v.exactOptional(v.string()),
    documentPrefix: v.exactOptional(v.string()),
    chunkTokens: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4096))),
  }),
])

const stageFile = v.strictObject({
  account: matching(/^\d{12}$/, 'an account of twelve digits'),
  region: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as eu-central-1'),
  alarmAddress: v.exactOptional(mail),
  alarmTopicArn: v.exactOptional(arn('an SNS topic')),
  runbookUrl: v.exactOptional(https),
  provider: v.exactOptional(provider),
  previousProvider: v.exactOptional(provider),
  customDomain: v.exactOptional(
    v.strictObject({
      name: matching(/^([a-z0-9-]+\.)+[a-z]{2,}$/, 'a name such as api.example.com'),
      certificateArn: arn('a certificate in ACM'),
    }),
  ),
  backups: v.exactOptional(
    v.strictObject({
      to: v.pipe(v.string(), v.nonEmpty('must be an address such as s3://bucket/prod')),
      recipient: matching(/^age1/, 'the public key that npm run backup -- key prints'),
    }),
  ),
  corsOrigins: v.exactOptional(v.array(v.string())),
  mailFrom: v.exactOptional(mailSender),
  keySignIn: v.exactOptional(v.boolean()),
  oidc: v.exactOptional(
    v.strictObject({
      issuer: https,
      clientId: v.pipe(v.string(), v.nonEmpty('must not be empty')),
      name: v.exactOptional(v.string()),
    }),
  ),
  crawlerContact: v.exactOptional(v.string()),
  filesReaderArn: v.exactOptional(arn('a role')),
  secretsKeyArn: v.exactOptional(arn('a key')),
  secretArns: v.exactOptional(v.record(v.string(), v.string())),
})

/** The settings that a team chooses for a new stage. None is secret. */
export const teamSettings = v.omit(v.strictObject({ ...stageFile.entries, alarmAddress: mail, runbookUrl: https }), [
  'account',
  'region',
])

export type StageFile = v.InferOutput<typeof stageFile>

export const stageFilePath = (directory: string, stage: string) => join(directory, `${stage}.json`)

/** @returns undefined if the stage has no file @throws Error that names the file's faults */
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
