import { findStage, stages } from '../aws/stages.ts'
import { awsCommand } from './aws.ts'
import { preflight } from './preflight.ts'

const [stage = ''] = process.argv.slice(2)
const settings = findStage(stage)
if (settings) {
  const databaseEndpoint = process.env.DATABASE_ENDPOINT || undefined
  const findings = await preflight(stage, settings, { aws: awsCommand(settings.region), databaseEndpoint })
  for (const { level, subject, detail } of findings) console.log(`${level.padEnd(8)} ${subject}: ${detail}`)
  const errors = findings.filter(({ level }) => level === 'error').length
  console.log(errors === 0 ? 'Ready to deploy.' : `Not ready: ${errors} ${errors === 1 ? 'error' : 'errors'}.`)
  process.exitCode = errors === 0 ? 0 : 1
} else {
  console.error(`Usage: npm run preflight -- ${Object.keys(stages).join('|')}`)
  process.exitCode = 1
}
