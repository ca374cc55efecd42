import { existsSync, globSync, readFileSync } from 'node:fs'
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
    /** The text that the model needs before a question, such as `query: `; `documentPrefix` before a passage. */
    queryPrefix: v.exactOptional(v.string()),
    documentPrefix: v.exactOptional(v.string()),
    /** Maximum size of a chunk, 400 by default: less than the model reads. */
    chunkTokens: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4096))),
  }),
])

/** CloudFront in front of the domain, with a web ACL that the team makes. CloudFront finds both in us-east-1 only. */
const cloudFront = v.strictObject({
  certificateArn: matching(/^arn:aws[\w-]*:acm:us-east-1:/, 'the ARN of a certificate in us-east-1'),
  webAclArn: matching(/^arn:aws[\w-]*:wafv2:us-east-1:\d+:global\//, 'the ARN of a web ACL for CloudFront'),
})

export type CloudFront = v.InferOutput<typeof cloudFront>

const stageFile = v.strictObject({
  /** The only account that the stage may be deployed to. Credentials of another are rejected. */
  account: matching(/^\d{12}$/, 'an account of twelve digits'),
  region: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as eu-central-1'),
  /** The host of the stage's database, which `create` and `restore` write. `npx cuecard` changes no database of another host. */
  databaseHost: v.exactOptional(v.string()),
  alarmAddress: v.exactOptional(mail),
  /** The team's own topic for alarms, for chats and pagers. CloudWatch and AWS Budgets must be allowed to publish to it. Replaces mails to `alarmAddress`. */
  alarmTopicArn: v.exactOptional(arn('an SNS topic')),
  runbookUrl: v.exactOptional(https),
  /** The encoder needs no key and no network, but understands only English. */
  provider: v.exactOptional(provider),
  /** The former provider, which serves an agent until its model has changed, and while it may return. */
  previousProvider: v.exactOptional(provider),
  customDomain: v.exactOptional(
    v.strictObject({
      name: matching(/^([a-z0-9-]+\.)+[a-z]{2,}$/, 'a name such as api.example.com'),
      certificateArn: arn('a certificate in ACM'),
      cloudFront: v.exactOptional(cloudFront),
    }),
  ),
  /** The address of backups, `s3://BUCKET/PREFIX`, and the public key that encrypts them. */
  backups: v.exactOptional(
    v.strictObject({
      to: v.pipe(v.string(), v.nonEmpty('must be an address such as s3://bucket/prod')),
      recipient: matching(/^age1/, 'the public key that npm run backup -- key prints'),
    }),
  ),
  /** Origins whose pages may call the API, such as `https://app.example.com`, or `*`. */
  corsOrigins: v.exactOptional(v.array(v.string())),
  /** The sender of the dashboard's mails, as an address or `Name <address>`. SES must have verified it, or its domain, in this region. */
  mailFrom: v.exactOptional(mailSender),
  /** Lets people sign in to the dashboard with API keys. */
  keySignIn: v.exactOptional(v.boolean()),
  /** An OpenID Connect provider that people sign in with. The button shows its `name`, by default the issuer's host. */
  oidc: v.exactOptional(
    v.strictObject({
      issuer: https,
      clientId: v.pipe(v.string(), v.nonEmpty('must not be empty')),
      name: v.exactOptional(v.string()),
    }),
  ),
  /** A mailbox or a page for websites' complaints about the crawler; by default `alarmAddress`. */
  crawlerContact: v.exactOptional(v.string()),
  /** ARN of the operators' role that may read customers' files, such as for an export. Without it, only Lambdas may. */
  filesReaderArn: v.exactOptional(arn('a role')),
  /** ARN of the key that encrypts the stage's secrets, those of `secretArns` too, if it is not AWS's own. */
  secretsKeyArn: v.exactOptional(arn('a key')),
  /** Full ARNs of existing secrets; the secrets stack creates the others, empty. */
  secretArns: v.exactOptional(v.record(v.string(), v.string())),
})

/** The settings that a team chooses for a new stage. None is secret. */
export const teamSettings = v.omit(v.strictObject({ ...stageFile.entries, alarmAddress: mail, runbookUrl: https }), [
  'account',
  'region',
  'databaseHost',
])

export type StageFile = v.InferOutput<typeof stageFile>

/** The folder of the stages' files, which `npm run stage -- create` writes and a team reviews like code. */
export const stagesDirectory = join(import.meta.dirname, 'stages')

const stageFilePath = (directory: string, stage: string) => join(directory, `${stage}.json`)

/** The name of each stage whose file names its database's host, by that host. */
export function stagesByHost(directory: string): Map<string, string> {
  const names = globSync('*.json', { cwd: directory }).map((file) => file.slice(0, -'.json'.length))
  const hosts = names.flatMap((name) => {
    const { databaseHost } = readStageFile(directory, name)!
    return databaseHost ? [[databaseHost, name] as const] : []
  })
  return new Map(hosts)
}

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
