import { CommandError } from '../../admin/command-error.ts'
import { answers, readStageFile, type StageFile } from '../../aws/stage-file.ts'
import { type Ask, by } from '../answers.ts'
import { awsClients, identityOf, shellRegion } from '../aws.ts'
import { settingsOf } from '../context.ts'

/** The stage's file as it is, or as the team answers. @throws CommandError where the credentials are of another account */
export async function stageFileFor(
  stage: string,
  directory: string,
  ask: Ask,
): Promise<{ file: StageFile; isNew: boolean }> {
  settingsOf(stage, directory)
  const kept = readStageFile(directory, stage)
  const region = kept?.region ?? (await shellRegion())
  const { account } = await identityOf(awsClients(region))
  if (kept && kept.account !== account)
    throw new CommandError(
      `the credentials are of ${account}, but ${stage} is pinned to ${kept.account} (infra/aws/stages/${stage}.json)`,
    )
  return kept ? { file: kept, isNew: false } : { file: { account, region, ...(await askTeam(ask)) }, isNew: true }
}

async function askTeam(ask: Ask): Promise<Omit<StageFile, 'account' | 'region'>> {
  const alarmAddress = await ask({
    name: 'ALARM_ADDRESS',
    text: 'Mail address for alarms',
    check: by(answers.alarmAddress),
  })
  const runbookUrl = await ask({
    name: 'RUNBOOK_URL',
    text: 'URL at which your team reads infra/runbook, for links in alarms',
    check: by(answers.runbookUrl),
  })
  const baseUrl = await ask({
    name: 'PROVIDER_URL',
    text: 'Base URL of the embedding provider, or encoder for the one that is built in (English only)',
    fallback: 'https://api.openai.com/v1',
    check: (answer) => (answer === 'encoder' ? undefined : by(answers.providerUrl)(answer)),
  })
  const model = { name: 'PROVIDER_MODEL', text: 'Its model', fallback: 'text-embedding-3-small' }
  const provider = baseUrl === 'encoder' ? ('encoder' as const) : { baseUrl, model: await ask(model) }
  const name = await ask({
    name: 'DOMAIN',
    text: 'Domain of the API, if it has its own',
    fallback: '',
    check: by(answers.domain),
  })
  const certificate = {
    name: 'CERTIFICATE_ARN',
    text: 'ARN of its certificate in ACM',
    check: by(answers.certificateArn),
  }
  const customDomain = name && { name, certificateArn: await ask(certificate) }
  const to = await ask({ name: 'BACKUP_TO', text: 'Where backups go, such as s3://bucket/prod', fallback: '' })
  const key = { name: 'BACKUP_RECIPIENT', text: 'Their public key', check: by(answers.backupRecipient) }
  const backups = to && { to, recipient: await ask(key) }
  return { alarmAddress, runbookUrl, provider, ...(customDomain && { customDomain }), ...(backups && { backups }) }
}
