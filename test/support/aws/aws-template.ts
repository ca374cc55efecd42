import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { App } from 'aws-cdk-lib'
import { afterAll, beforeAll, vi } from 'vitest'
import { cuecardApp } from '../../../infra/aws/app.ts'
import { type BundleName, entryPoints } from '../../../infra/aws/bundles/bundle.ts'
import { type StageSettings, exampleStages as stages } from '../../../infra/aws/stages.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type Fields = { [key: string]: Json }
export type Resource = {
  Type: string
  Properties: Fields
  DependsOn?: string[]
  DeletionPolicy?: string
  UpdatePolicy?: Fields
}

const alarmAddress = 'duty@cuecard.example'
export const alarmTopicArn = 'arn:aws:sns:eu-central-1:111122223333:duty'

/** A stage that uses every optional setting. */
const everything: StageSettings = {
  ...stages.prod,
  isBackedUp: true,
  mailFrom: 'Cuecard <hello@mail.cuecard.example>',
  oidc: { issuer: 'https://accounts.example.com', clientId: 'cuecard', name: 'Example' },
  alarmAddress,
  filesReaderArn: 'arn:aws:iam::111122223333:role/files',
  secretsKeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  corsOrigins: ['https://app.cuecard.example', 'http://localhost:3000'],
  customDomain: {
    name: 'api.cuecard.example',
    certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/c',
    cloudFront: {
      certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/c',
      webAclArn: 'arn:aws:wafv2:us-east-1:111122223333:global/webacl/cuecard/1234abcd',
    },
  },
}

const stagesUnderTest: Record<string, StageSettings> = {
  dev: { ...stages.dev, alarmAddress, alarmTopicArn },
  prod: { ...stages.prod, alarmAddress, mailFrom: 'hello@cuecard.example', keySignIn: true },
  everything,
}

export type StageUnderTest = 'dev' | 'prod' | 'everything'

/** The cloud assembly of all stages that the test files of a run share, and a directory of the file's own. */
export function useSynthesis(): Synthesis {
  const scratch = mkdtempSync(join(tmpdir(), 'cuecard-scratch-'))
  beforeAll(sharedSynthesis, 240_000)
  afterAll(() => rmSync(scratch, { recursive: true }))
  return new Synthesis(join(sharedDirectory(), 'cdk.out'), scratch)
}

const sharedDirectory = () => join(process.env.RUN_DIRECTORY!, 'synthesis')

/** Whichever file comes first synthesizes, the others wait. */
export async function sharedSynthesis(): Promise<Synthesis> {
  const directory = sharedDirectory()
  const outcome = join(directory, 'outcome')
  const made = await mkdir(directory).catch((error: NodeJS.ErrnoException) => error.code)
  if (made === undefined) await synthesize(directory).finally(() => writeFile(outcome, ''))
  else await vi.waitUntil(() => existsSync(outcome), { timeout: 240_000, interval: 200 })
  return new Synthesis(join(directory, 'cdk.out'), directory)
}

/**
 * Synthesizes all stages, as `npm run synth` does into `cdk.out`. Beside it lies what the Lambda runtime offers besides Node.js (the AWS
 * SDK and nothing else), so that a bundle can be imported from there.
 * @param directory that is there
 */
export async function synthesize(directory: string, stages = stagesUnderTest): Promise<App> {
  await mkdir(join(directory, 'node_modules'))
  await symlink(join(import.meta.dirname, '../../../node_modules/@aws-sdk'), join(directory, 'node_modules/@aws-sdk'))
  const app = await cuecardApp(join(directory, 'cdk.out'), stages)
  app.synth()
  return app
}

class Synthesis {
  readonly outdir: string
  readonly #scratch: string

  constructor(outdir: string, scratch: string) {
    this.outdir = outdir
    this.#scratch = scratch
  }

  stack(stage: StageUnderTest): StackTemplate {
    return new StackTemplate(this.outdir, `cuecard-${stage}`)
  }

  secrets(stage: StageUnderTest): StackTemplate {
    return new StackTemplate(this.outdir, `cuecard-${stage}-secrets`)
  }

  /** A directory with the deployed bundle of each Lambda of prod, under its name. */
  bundles(): string {
    const directory = this.scratch('bundles')
    const prod = this.stack('prod')
    mkdirSync(directory)
    for (const name of Object.keys(entryPoints) as BundleName[])
      symlinkSync(dirname(prod.bundle(name)), join(directory, name))
    return directory
  }

  /** A directory for one more synth or the like, which is removed when the file, or the run, ends. */
  scratch(name: string): string {
    return join(this.#scratch, name)
  }
}

/** A synthesized template, read from the cloud assembly, with its resources by name. */
export class StackTemplate {
  readonly name: string
  readonly text: string
  readonly resources: Record<string, Resource>
  readonly #outdir: string

  constructor(outdir: string, name: string) {
    this.#outdir = outdir
    this.name = name
    this.text = readFileSync(join(outdir, `${name}.template.json`), 'utf8')
    this.resources = JSON.parse(this.text).Resources
  }

  /** Logical id → resource, for one type. */
  ofType(type: string): [string, Resource][] {
    return Object.entries(this.resources).filter(([, resource]) => resource.Type === type)
  }

  /** The one resource of a type whose property has this value. */
  one(type: string, property: string, value: string): [string, Resource] {
    const found = this.ofType(type).filter(([, resource]) => resource.Properties[property] === value)
    if (found.length !== 1) throw new Error(`${found.length} resources of ${type} with ${property} = ${value}`)
    return found[0]!
  }

  lambda(name: string): Resource {
    return this.one('AWS::Lambda::Function', 'FunctionName', `${this.name}-${name}`)[1]
  }

  /** The alias of a Lambda, which requests, messages and schedules invoke. */
  alias(name: string): [string, Resource] {
    const found = this.ofType('AWS::Lambda::Alias').find(([id]) => this.#nameOf(id) === `${this.name}-${name}:live`)
    if (!found) throw new Error(`${name} has no alias`)
    return found
  }

  /** The file that is deployed for a Lambda: `handler.mjs` in its asset. */
  bundle(name: BundleName): string {
    const { S3Key } = this.lambda(name).Properties.Code as Fields
    return join(this.#outdir, `asset.${String(S3Key).replace('.zip', '')}`, 'handler.mjs')
  }

  /** A value with its references replaced by the names of what they refer to, for comparing and for reading. */
  resolve(value: Json): string {
    if (value === null || typeof value !== 'object') return String(value)
    if (Array.isArray(value)) return value.map((item) => this.resolve(item)).join(' ')
    const [[key, inner]] = Object.entries(value) as [[string, Json]]
    if (key === 'Fn::Join' && Array.isArray(inner))
      return (inner[1] as Json[]).map((item) => this.resolve(item)).join('')
    // CDK takes the name of a function out of the ARN of its alias.
    if (key === 'Fn::Select' && Array.isArray(inner)) return this.resolve(inner[1]!).split(':')[0]!
    if (key === 'Fn::Split' && Array.isArray(inner)) return this.resolve(inner[1]!)
    if (key === 'Fn::ImportValue') return this.#imported(String(inner))
    if (key === 'Ref') return this.#nameOf(String(inner))
    if (key === 'Fn::GetAtt' && Array.isArray(inner)) return this.#nameOf(String(inner[0]))
    throw new Error(`Cannot resolve ${JSON.stringify(value)}`)
  }

  #nameOf(logicalId: string): string {
    const pseudo = pseudoParameters[logicalId]
    if (pseudo !== undefined) return pseudo
    const { Type: type, Properties: properties } = this.resources[logicalId] ?? {}
    if (type === 'AWS::Lambda::Alias') return `${this.resolve(properties!.FunctionName!)}:${properties!.Name}`
    if (properties?.BucketName) return this.resolve(properties.BucketName)
    const keys = ['ApplicationName', 'FunctionName', 'QueueName', 'LogGroupName', 'Name', 'DashboardName']
    const name = keys.map((key) => properties?.[key]).find((value) => typeof value === 'string')
    return name === undefined ? logicalId : String(name)
  }

  #imported(exported: string): string {
    const [stack] = exported.split(':') as [string]
    const from = new StackTemplate(this.#outdir, stack)
    const outputs = JSON.parse(from.text).Outputs as Record<string, { Value: Json; Export?: { Name: string } }>
    const output = Object.values(outputs).find((candidate) => candidate.Export?.Name === exported)
    if (!output) throw new Error(`Nothing exports ${exported}`)
    return from.resolve(output.Value)
  }
}

const pseudoParameters: Record<string, string> = {
  'AWS::Partition': 'aws',
  'AWS::AccountId': '111122223333',
  'AWS::Region': 'eu-central-1',
}

/** The logical id in a `Ref` or `Fn::GetAtt`. */
export function logicalId(reference: Json): string {
  const { Ref, 'Fn::GetAtt': attribute } = reference as { Ref?: string; 'Fn::GetAtt'?: [string, string] }
  return Ref ?? attribute![0]
}
