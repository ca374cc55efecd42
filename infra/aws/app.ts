import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { App, Tags } from 'aws-cdk-lib'
import featureFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { bundleAll, bundleEncoding } from './bundles/bundle.ts'
import { acknowledgedRules, addRuleChecks } from './rule-checks.ts'
import { SecretsStack, secretsFor } from './secrets.ts'
import { CuecardStack } from './stack.ts'
import { embedsItself, type StageName, type StageSettings, stages } from './stages.ts'

export async function cuecardApp(outdir: string, all: Record<string, StageSettings> = stages): Promise<App> {
  await mkdir(outdir, { recursive: true })
  const bundles = await bundleAll(join(outdir, 'bundles'))
  const hasEncoder = Object.values(all).some(embedsItself)
  const withEncoder = { ...bundles, ...(hasEncoder && (await bundleEncoding(join(outdir, 'bundles-with-encoder')))) }
  const app = new App({ outdir, analyticsReporting: false, context: featureFlags })
  addRuleChecks(app)
  for (const stage of Object.keys(all) as StageName[]) {
    const settings: StageSettings = all[stage]!
    const name = `cuecard-${stage}`
    const { account, region, terminationProtection } = settings
    const props = { env: { account, region }, terminationProtection }
    new SecretsStack(app, `${name}-secrets`, stage, settings, props)
    new CuecardStack(app, name, {
      ...props,
      settings,
      secrets: secretsFor(stage, settings),
      bundles: embedsItself(settings) ? withEncoder : bundles,
    })
  }
  Tags.of(app).add('application', 'cuecard')
  return app
}

if (import.meta.main) {
  const app = await cuecardApp(process.env.CDK_OUTDIR ?? 'cdk.out')
  app.synth()
  const rules = [...acknowledgedRules(app)].map(([rule, count]) => `${rule} (${count})`)
  console.error(`cdk-nag (AWS Solutions, Serverless): 0 open findings; acknowledged: ${rules.join(', ')}`)
}
