import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import type { Construct } from 'constructs'
import type { StageSettings } from '../stages.ts'

/** Warns of the account's cost of a month when it has passed four fifths of the stage's budget, or will pass all of it. */
export function createBudget(scope: Construct, budgetName: string, settings: StageSettings): void {
  const { alarmAddress, alarmTopicArn, dollarsPerMonth } = settings
  const address = alarmTopicArn ?? alarmAddress
  if (!address) return
  const subscribers = [{ subscriptionType: alarmTopicArn ? 'SNS' : 'EMAIL', address }]
  const budgetLimit = { amount: dollarsPerMonth, unit: 'USD' }
  const warning = (notificationType: string, threshold: number) => ({
    notification: { notificationType, threshold, comparisonOperator: 'GREATER_THAN' },
    subscribers,
  })
  new CfnBudget(scope, 'budget', {
    budget: { budgetName, budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit },
    notificationsWithSubscribers: [warning('ACTUAL', 80), warning('FORECASTED', 100)],
  })
}
