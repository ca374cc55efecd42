import { findStage, stages } from './stages.ts'

/** Prints a stage's account, region and deploy roles as `name=value` lines, for a workflow. */
const [stage = ''] = process.argv.slice(2)
const settings = findStage(stage)
if (!settings) throw new Error(`Usage: node infra/aws/print-stage.ts ${Object.keys(stages).join('|')}`)
const { account, region } = settings
const role = (purpose: string) => `arn:aws:iam::${account}:role/cuecard-${stage}-${purpose}`
console.log(
  `account=${account}\nregion=${region}\ndeploy-role=${role('deploy')}\ndiff-role=${role('diff')}\nbackup-role=${role('backup')}`,
)
