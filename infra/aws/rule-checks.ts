import { type App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import type { IConstruct } from 'constructs'

export function addRuleChecks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
}

export function acknowledge(construct: IConstruct, reasons: Record<string, string>): void {
  Validations.of(construct).acknowledge(...Object.entries(reasons).map(([id, reason]) => ({ id, reason })))
}

export function acknowledgedRules(app: App): Map<string, number> {
  const counts = new Map<string, number>()
  for (const construct of app.node.findAll()) {
    for (const { type, data } of construct.node.metadata) {
      if (type !== Validations.ACKNOWLEDGED_RULES_METADATA_KEY) continue
      for (const key of Object.keys(data)) {
        const rule = key.replace(/^annotation::/i, '')
        counts.set(rule, (counts.get(rule) ?? 0) + 1)
      }
    }
  }
  return counts
}
