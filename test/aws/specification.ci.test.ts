import { describe, expect, test } from 'vitest'
import { type Fields, type Json, type StackTemplate, useSynthesis } from '../support/aws/aws-template.ts'
import { specification } from '../support/aws/cloud-formation.ts'

const synthesis = useSynthesis()
const typeNamed = (name: string) => specification.lookup('resource', 'cloudFormationType', 'equals', name)[0]
type Property = NonNullable<ReturnType<typeof typeNamed>>['properties'][string]
type PropertyType = Property['type']

describe.each(['dev', 'prod', 'everything'] as const)('%s', (stage) => {
  test('has only properties that CloudFormation knows, of the right types, and all that it requires', () => {
    for (const template of [synthesis.secrets(stage), synthesis.stack(stage)]) expect(faultsOf(template)).toEqual([])
  })

  test('has no event source, queue or alarm that CloudFormation would reject only during a deploy', () => {
    const template = synthesis.stack(stage)
    const properties = (type: string) => template.ofType(type).map(([, { Properties }]) => Properties)
    for (const { BatchSize, MaximumBatchingWindowInSeconds: window = 0, ScalingConfig, ...source } of properties(
      'AWS::Lambda::EventSourceMapping',
    )) {
      const queue = template.one('AWS::SQS::Queue', 'QueueName', template.resolve(source.EventSourceArn!))[1].Properties
      const [lambda] = template.resolve(source.FunctionName!).split(':')
      const { Timeout } = template.one('AWS::Lambda::Function', 'FunctionName', lambda!)[1].Properties
      expect(Number(queue.VisibilityTimeout)).toBeGreaterThanOrEqual(Number(Timeout))
      expect(Number(BatchSize)).toBeLessThanOrEqual(Number(window) > 0 ? 10_000 : 10)
      expect((ScalingConfig as Fields).MaximumConcurrency).toSatisfy((n) => n >= 2 && n <= 1000)
    }
    for (const { VisibilityTimeout = 30, MessageRetentionPeriod = 345_600, ...queue } of properties(
      'AWS::SQS::Queue',
    )) {
      expect(VisibilityTimeout).toSatisfy((n) => n >= 0 && n <= 43_200)
      expect(MessageRetentionPeriod).toSatisfy((n) => n >= 60 && n <= 1_209_600)
      const { maxReceiveCount = 1 } = (queue.RedrivePolicy ?? {}) as Fields
      expect(maxReceiveCount).toSatisfy((n) => n >= 1 && n <= 1000)
    }
    for (const { AlarmName, Metrics = [], Period, EvaluationPeriods } of properties('AWS::CloudWatch::Alarm')) {
      const stats = (Metrics as Fields[]).flatMap(({ MetricStat }) =>
        MetricStat ? [(MetricStat as Fields).Period] : [],
      )
      const periods = [...stats, ...(Period ? [Period] : [])].map(Number)
      expect(periods, String(AlarmName)).not.toEqual([])
      for (const seconds of periods) {
        expect(seconds, String(AlarmName)).toSatisfy((n) => n === 10 || n === 30 || n % 60 === 0)
        const days = seconds >= 3600 ? 7 : 1
        expect(seconds * Number(EvaluationPeriods), String(AlarmName)).toBeLessThanOrEqual(days * 86_400)
      }
    }
  })
})

test('an unknown name, a wrong type and a missing property are found, even in nested properties', () => {
  const template = synthesis.stack('prod')
  const [id, queue] = template.ofType('AWS::Lambda::Function')[0]!
  Object.assign(queue.Properties, { Memory: 1, Timeout: 'soon', TracingConfig: { Mod: 'Active' }, Role: undefined })
  expect(faultsOf(template)).toEqual([
    `${id}.Timeout is no integer`,
    `${id}.Memory is unknown`,
    `${id}.TracingConfig.Mod is unknown`,
    `${id}.Role is missing`,
  ])
})

function faultsOf({ resources }: StackTemplate): string[] {
  return Object.entries(resources).flatMap(([id, { Type, Properties = {} }]) => {
    if (Type.startsWith('Custom::') || Type === 'AWS::CDK::Metadata') return []
    const type = typeNamed(Type)
    return type ? fieldFaults(id, Properties, type.properties) : [`${id} has the unknown type ${Type}`]
  })
}

function fieldFaults(at: string, fields: Fields, properties: Record<string, Property>): string[] {
  const wrong = Object.entries(fields).flatMap(([name, value]) => {
    const property = properties[name]
    if (!property) return [`${at}.${name} is unknown`]
    const found = typesOf(property).map((type) => faults(`${at}.${name}`, value, type))
    return found.find((each) => each.length === 0) ?? found[0]!
  })
  const missing = Object.entries(properties).filter(([name, { required }]) => required && fields[name] === undefined)
  return [...wrong, ...missing.map(([name]) => `${at}.${name} is missing`)]
}

const typesOf = ({ type, previousTypes = [] }: Property): PropertyType[] => [type, ...previousTypes]

/** The faults that CloudFormation would report; a reference or a function may be any value. */
function faults(at: string, value: Json, type: PropertyType): string[] {
  if (isFunction(value)) return []
  const no = (is: boolean) => (is ? [] : [`${at} is no ${type.type}`])
  switch (type.type) {
    case 'string':
      return no(typeof value !== 'object')
    case 'boolean':
      return no(typeof value === 'boolean' || value === 'true' || value === 'false')
    case 'integer':
      return no(Number.isInteger(Number(value)))
    case 'number':
      return no(Number.isFinite(Number(value)))
    case 'array':
      return Array.isArray(value) ? value.flatMap((item, i) => faults(`${at}.${i}`, item, type.element)) : no(false)
    case 'map':
      return isFields(value)
        ? Object.entries(value).flatMap(([name, item]) => faults(`${at}.${name}`, item, type.element))
        : no(false)
    case 'ref':
      return isFields(value)
        ? fieldFaults(at, value, specification.get('typeDefinition', type.reference.$ref).properties)
        : no(false)
    case 'union': {
      const found = type.types.map((each) => faults(at, value, each))
      return found.find((each) => each.length === 0) ?? found[0]!
    }
    case 'tag':
      return no(isFields(value) && 'Key' in value && 'Value' in value)
    default:
      return no(['json', 'date-time', 'null'].includes(type.type))
  }
}

const isFields = (value: Json): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value)

function isFunction(value: Json): boolean {
  if (!isFields(value)) return false
  const [name, ...others] = Object.keys(value)
  return others.length === 0 && (name === 'Ref' || name!.startsWith('Fn::'))
}
