import { Stack, Validations } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import { acknowledge } from '../rule-checks.ts'
import type { StageSettings } from '../stages.ts'

/** CloudWatch cannot use the AWS managed key of SNS, so the topic has its own. */
export function createAlarmTopic(scope: Construct, settings: StageSettings): Topic {
  const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com')
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } }
  const masterKey = new Key(scope, 'alarm-key', {
    description: 'Encrypts alarm notifications.',
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
