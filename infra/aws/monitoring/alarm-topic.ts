import { Stack, Validations } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import { acknowledge } from '../nag.ts'
import type { StageSettings } from '../stages.ts'

/** Where alarms go. CloudWatch cannot use the key that AWS manages for SNS, so the topic has one of its own. */
export function createAlarmTopic(scope: Construct, settings: StageSettings): Topic {
  const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com')
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } }
  const masterKey = new Key(scope, 'alarm-key', {
    description: 'Encrypts alarms on their way to whoever is on duty.',
    enableKeyRotation: true,
    removalPolicy: settings.removal,
  })
  masterKey.addToResourcePolicy(
    new PolicyStatement({
      principals: [cloudWatch],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions,
    }),
  )
  const topic = new Topic(scope, 'alarms', { masterKey, enforceSSL: true })
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [cloudWatch],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions,
    }),
  )
  if (settings.alarmAddress) {
    topic.addSubscription(new EmailSubscription(settings.alarmAddress))
    acknowledge(topic, {
      'Serverless-SNSRedrivePolicy':
        'SNS tries mail for six hours; an alarm older than that is read in CloudWatch, where it still stands.',
    })
  } else {
    Validations.of(topic).addWarning(
      'NobodyHearsAlarms',
      'Alarms are mailed to nobody: set alarmAddress in infra/aws/stages.ts.',
    )
  }
  return topic
}
