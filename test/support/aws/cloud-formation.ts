import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec'
import type { Fields, Json, Resource } from './aws-template.ts'

export interface Template {
  Resources: Record<string, Resource>
  Outputs?: Record<string, { Value: Json; Export?: { Name: string } }>
}

/** CloudFormation's refusal of a change. */
export class Refused extends Error {}

/** The properties whose value is unique in an account and region. */
const names: Readonly<Record<string, string>> = {
  'AWS::ApiGatewayV2::DomainName': 'DomainName',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CodeDeploy::Application': 'ApplicationName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SecretsManager::Secret': 'Name',
}

export const specification = loadAwsServiceSpecSync()

/**
 * A model of CloudFormation: an export in use stays, a name exists once, and what a stack retains stays in the account when it leaves
 * the stack. A change set may adopt such a resource on the conditions of AWS's page “Import AWS resources into a CloudFormation stack
 * automatically”: a name without references, DeletionPolicy Retain or RetainExceptOnCreate, and a type whose identifier is its name.
 */
export class CloudFormation {
  readonly #stacks = new Map<string, Template>()
  /** `type name` → the stack that holds the resource; null where one has left it behind. */
  readonly #named = new Map<string, string | null>()

  /** @returns the names of adopted resources @throws Refused, and then nothing has changed */
  deploy(stack: string, template: Template, { adopts }: { adopts: boolean }): string[] {
    const before = this.#stacks.get(stack) ?? { Resources: {} }
    this.#checkLimits(template)
    this.#checkCircles(template)
    this.#checkRouteSettings(template)
    this.#checkExports(stack, before, template)
    const made = physical(template)
    const had = physical(before)
    const adopted: string[] = []
    for (const [key, resource] of made) {
      if (had.get(key)?.id === resource.id) continue
      const holder = this.#named.get(key)
      if (holder === undefined) continue
      if (holder !== null || !adopts || !isAdoptable(resource)) throw new Refused(`AlreadyExists: ${key}`)
      adopted.push(key)
    }
    for (const [key, { DeletionPolicy }] of had) {
      if (made.has(key)) continue
      if (isRetained(DeletionPolicy)) this.#named.set(key, null)
      else this.#named.delete(key)
    }
    for (const key of made.keys()) this.#named.set(key, stack)
    this.#stacks.set(stack, template)
    return adopted
  }

  has(type: string, name: string): boolean {
    return this.#named.has(`${type} ${name}`)
  }

  /** Every named resource and its stack. */
  account(): Record<string, string | null> {
    return Object.fromEntries([...this.#named].sort())
  }

  #checkLimits({ Resources, Outputs = {} }: Template): void {
    if (Object.keys(Resources).length > 500) throw new Refused('more than 500 resources')
    if (Object.keys(Outputs).length > 200) throw new Refused('more than 200 outputs')
    if (JSON.stringify({ Resources, Outputs }).length > 1_000_000) throw new Refused('a template of more than 1 MB')
  }

  #checkCircles({ Resources }: Template): void {
    const circle = circleIn(
      new Map(Object.entries(Resources).map(([id, each]) => [id, dependenciesOf(each, Resources)])),
    )
    if (circle.length > 0) throw new Refused(`Circular dependency between resources: [${circle.join(', ')}]`)
  }

  /** API Gateway finds only routes that are there before the stage. */
  #checkRouteSettings({ Resources }: Template): void {
    for (const stage of Object.values(Resources).filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Stage')) {
      const before = dependenciesOf(stage, Resources).map((id) => Resources[id]!.Properties.RouteKey)
      const missing = Object.keys(stage.Properties.RouteSettings ?? {}).find((key) => !before.includes(key))
      if (missing) throw new Refused(`Unable to find Route by key ${missing} within the provided RouteSettings`)
    }
  }

  #checkExports(stack: string, before: Template, template: Template): void {
    const others = [...this.#stacks].filter(([name]) => name !== stack)
    const used = new Set(others.flatMap(([, each]) => importsOf(each)))
    const kept = new Set(exportsOf(template))
    const lost = exportsOf(before).find((name) => used.has(name) && !kept.has(name))
    if (lost) throw new Refused(`Cannot delete export ${lost} as it is in use`)
    const offered = new Set(others.flatMap(([, each]) => exportsOf(each)))
    const missing = importsOf(template).find((name) => !offered.has(name))
    if (missing) throw new Refused(`No export named ${missing} found`)
  }
}

/**
 * The resources that must be there before this one: those of its `DependsOn`, and of the references anywhere in it, thus also in its
 * `UpdatePolicy`, its `CreationPolicy` and its `Metadata`.
 */
export function dependenciesOf({ DependsOn = [], ...resource }: Resource, all: Template['Resources']): string[] {
  return [...new Set([...[DependsOn].flat(), ...referredIn(resource as Fields)])].filter((id) => id in all)
}

/** The logical ids in `Ref`, `Fn::GetAtt` and `Fn::Sub`, each in both of its forms. */
export function referredIn(value: Json): string[] {
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) return value.flatMap(referredIn)
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Sub': pattern } = value
  const [text, variables = {}] = [pattern].flat() as [Json?, Fields?]
  const inText = typeof text === 'string' ? [...text.matchAll(/\$\{([^!.}]+)[^}]*\}/g)].map(([, id]) => id!) : []
  const [ofAttribute] = typeof attribute === 'string' ? attribute.split('.') : ((attribute ?? []) as string[])
  const own = [Ref, ofAttribute].filter((each) => typeof each === 'string')
  return [...own, ...inText.filter((id) => !(id in variables)), ...Object.values(value).flatMap(referredIn)]
}

/** What is left when resources that nothing needs, or that need nothing, are taken out again and again: circles, and what joins them. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...graph.keys()]
  for (;;) {
    const needed = new Set(left.flatMap((id) => graph.get(id)!))
    const kept = left.filter((id) => needed.has(id) && graph.get(id)!.some((each) => left.includes(each)))
    if (kept.length === left.length) return left
    left = kept
  }
}

type Physical = Resource & { id: string; name: Json }

/** `type name` → the resource. */
function physical({ Resources }: Template): Map<string, Physical> {
  const found = Object.entries(Resources).flatMap(([id, resource]): [string, Physical][] => {
    const name = resource.Properties?.[names[resource.Type] ?? '']
    if (name === undefined) return []
    const readable = typeof name === 'string' ? name : JSON.stringify(name)
    return [[`${resource.Type} ${readable}`, { ...resource, id, name }]]
  })
  return new Map(found)
}

const isRetained = (policy: string | undefined) => policy === 'Retain' || policy === 'RetainExceptOnCreate'

function isAdoptable({ Type, name, DeletionPolicy }: Physical): boolean {
  const [type] = specification.lookup('resource', 'cloudFormationType', 'equals', Type)
  return typeof name === 'string' && isRetained(DeletionPolicy) && type?.primaryIdentifier?.join() === names[Type]
}

const exportsOf = ({ Outputs = {} }: Template) =>
  Object.values(Outputs).flatMap(({ Export }) => (Export ? [Export.Name] : []))

function importsOf(value: Template | Json): string[] {
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) return value.flatMap(importsOf)
  const { 'Fn::ImportValue': name, ...rest } = value as Fields
  return [...(typeof name === 'string' ? [name] : []), ...Object.values(rest).flatMap(importsOf)]
}
