import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { Construct } from 'constructs'
import type { StageSettings } from '../stages.ts'
import { createAlarmTopic } from './alarm-topic.ts'
import { apiAlarms } from './api-alarms.ts'
import { operationAlarms } from './operation-alarms.ts'
import { pipelineAlarms } from './pipeline-alarms.ts'
import { releaseAlarms } from './release-alarms.ts'
import type { AlarmSettings, Watched } from './watched.ts'

/** Each has a row in the runbook's table of alarms. */
export function createAlarms(scope: Construct, name: string, watched: Watched, settings: StageSettings): Alarm[] {
  const action = new SnsAction(createAlarmTopic(scope, settings))
  const alarms: Record<string, AlarmSettings> = {
    ...apiAlarms(scope, name, watched),
    ...pipelineAlarms(name, watched, settings),
    ...operationAlarms(name, watched, settings),
    ...(settings.shiftsTraffic && releaseAlarms(watched)),
  }
  return Object.entries(alarms).map(([id, { metric, threshold = 1, periods = 1, missing, text, heading }]) => {
    const alarm = new Alarm(scope, id, {
      alarmName: `${name}-${id}`,
      alarmDescription: `${text} ${settings.runbookUrl}#${heading}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator:
        missing === TreatMissingData.BREACHING
          ? ComparisonOperator.LESS_THAN_THRESHOLD
          : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    })
    alarm.addAlarmAction(action)
    alarm.addOkAction(action)
    return alarm
  })
}
