import { findStage, stages } from './stages.ts'

/** For a workflow: where a stage lives, and the roles that GitHub's OIDC provider lets it assume there, as `name=value` lines. */
const [stage = ''] = process.argv.slice(2)
const settings = findStage(stage)
if (!settings) throw new Error(`Usage: node infra/aws/print-stage.ts ${Object.keys(stages).join('|')}`)
const { account, region } = settings
const role = (purpose: string) => `arn:aws:iam::${account}:role/cuecard-${stage}-${purpose}`
console.log(`account=${account}\nregion=${region}\ndeploy-role=${role('deploy')}\ndiff-role=${role('diff')}`)
