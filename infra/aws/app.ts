import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { App, Tags } from 'aws-cdk-lib'
import featureFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { bundleAll } from './bundles/bundle.ts'
import { acknowledgedRules, addNag } from './nag.ts'
import { SecretsStack } from './secrets.ts'
import { CuecardStack } from './stack.ts'
import { type StageName, type StageSettings, stages } from './stages.ts'

/**
 * Today's defaults of CDK; but what one stack takes from another is exported, so that CloudFormation refuses to remove a
 * secret that is still read.
 */
const context = { ...featureFlags, '@aws-cdk/core:defaultCrossStackReferences': 'strong' }

/**
 * Builds the bundles and the stacks of every stage. Neither account nor region is fixed, and nothing is looked up: the
 * credentials of the deploy decide.
 */
export async function cuecardApp(outdir: string, all: Record<string, StageSettings> = stages): Promise<App> {
  await mkdir(outdir, { recursive: true })
  const bundles = await bundleAll(join(outdir, 'bundles'))
  const app = new App({ outdir, analyticsReporting: false, context })
  addNag(app)
  for (const stage of Object.keys(all) as StageName[]) {
    const settings: StageSettings = all[stage]!
    const name = `cuecard-${stage}`
    const props = { terminationProtection: settings.terminationProtection }
    const { secrets } = new SecretsStack(app, `${name}-secrets`, stage, settings, props)
    new CuecardStack(app, name, { ...props, settings, secrets, bundles })
  }
  Tags.of(app).add('application', 'cuecard')
  return app
}

if (import.meta.main) {
  const app = await cuecardApp(process.env.CDK_OUTDIR ?? 'cdk.out')
  app.synth()
  const rules = [...acknowledgedRules(app)].map(([rule, places]) => `${rule} (${places})`)
  console.error(`cdk-nag, AWS Solutions and Serverless: no open finding; acknowledged ${rules.join(', ')}`)
}
