import { Stack, Validations } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import { acknowledge } from '../rule-checks.ts'
import type { StageSettings } from '../stages.ts'
import { apiAlarms } from './api-alarms.ts'
import type { AlarmSettings, Watched } from './metric.ts'
import { operationAlarms } from './operation-alarms.ts'
import { pipelineAlarms } from './pipeline-alarms.ts'
import { releaseAlarms } from './release-alarms.ts'

/** Every alarm has a row in the table of ../../README.md. */
export function createAlarms(scope: Construct, name: string, watched: Watched, settings: StageSettings): Alarm[] {
  const { alarmTopicArn } = settings
  const topic: ITopic = alarmTopicArn
    ? Topic.fromTopicArn(scope, 'alarms', alarmTopicArn)
    : createAlarmTopic(scope, settings)
  const action = new SnsAction(topic)
  const alarms: Record<string, AlarmSettings> = {
    ...apiAlarms(scope, name, watched),
    ...pipelineAlarms(name, watched, settings),
    ...operationAlarms(name, watched, settings),
    ...(settings.shiftsTraffic && releaseAlarms(scope, name, watched)),
  }
  return Object.entries(alarms).map(([id, { metric, threshold = 1, periods = 1, missing, text, page }]) => {
    const alarm = new Alarm(scope, id, {
      alarmName: `${name}-${id}`,
      alarmDescription: `${text} ${settings.runbookUrl}/${page}.md`,
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

/** CloudWatch cannot use the AWS managed key of SNS, so the topic has its own. */
function createAlarmTopic(scope: Construct, settings: StageSettings): Topic {
  const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com')
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } }
  const masterKey = new Key(scope, 'alarm-key', {
    description: 'Encrypts alarm notifications.',
    enableKeyRotation: true,
    removalPolicy: settings.removal,
  })
  const allow = (actions: string[], resource: string) =>
    new PolicyStatement({ principals: [cloudWatch], actions, resources: [resource], conditions })
  masterKey.addToResourcePolicy(allow(['kms:Decrypt', 'kms:GenerateDataKey*'], '*'))
  const topic = new Topic(scope, 'alarms', { masterKey, enforceSSL: true })
  topic.addToResourcePolicy(allow(['sns:Publish'], topic.topicArn))
  if (settings.alarmAddress) {
    topic.addSubscription(new EmailSubscription(settings.alarmAddress))
    acknowledge(topic, {
      'Serverless-SNSRedrivePolicy':
        'SNS retries mail for six hours; after that the state of the alarm is still in CloudWatch.',
    })
  } else {
    Validations.of(topic).addWarning(
      'NoAlarmAddress',
      'Alarms have no recipient: set alarmAddress in infra/aws/stages.ts.',
    )
  }
  return topic
}
