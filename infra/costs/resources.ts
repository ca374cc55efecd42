import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { metricReporters } from '../wiring.ts'

/** What a stage has, however much it is used. */
export interface Resources {
  metrics: number
  alarmMetrics: number
  dashboards: number
  secrets: number
  keys: number
}

interface Resource {
  Type: string
  Properties: { Metrics?: { MetricStat?: unknown }[] }
}

/** As a cloud assembly has it in `directory`. */
export function resourcesOf(directory: string, stage: string): Resources {
  const all = [`cuecard-${stage}`, `cuecard-${stage}-secrets`].flatMap((stack) => {
    const template = JSON.parse(readFileSync(join(directory, `${stack}.template.json`), 'utf8'))
    return Object.values<Resource>(template.Resources)
  })
  const ofType = (type: string) => all.filter(({ Type }) => Type === type)
  const reported = Object.values(metricReporters).reduce((sum, lambdas) => sum + lambdas.length, 0)
  return {
    metrics: reported + ofType('AWS::Logs::MetricFilter').length,
    alarmMetrics: ofType('AWS::CloudWatch::Alarm').reduce((sum, { Properties }) => sum + metricsIn(Properties), 0),
    dashboards: ofType('AWS::CloudWatch::Dashboard').length,
    secrets: ofType('AWS::SecretsManager::Secret').length,
    keys: ofType('AWS::KMS::Key').length,
  }
}

function metricsIn({ Metrics = [] }: Resource['Properties']): number {
  return Math.max(1, Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length)
}
