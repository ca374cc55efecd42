import * as v from 'valibot'
import { readStageFile, type StageFile, teamSettings } from '../../aws/stage-file.ts'
import { type Answers, missingError } from '../answers.ts'
import { awsClients, identityOf, shellRegion } from '../aws.ts'

/** The answer for each setting, and its meaning. */
const names: Record<string, string> = {
  alarmAddress: 'ALARM_ADDRESS (for alarms)',
  runbookUrl: 'RUNBOOK_URL (where your team reads infra/runbook, for links in alarms)',
  'provider.baseUrl': 'PROVIDER_URL (of embeddings; encoder for the one that is built in, English only)',
  mailFrom: 'MAIL_FROM (of the dashboard’s mails)',
  'oidc.issuer': 'OIDC_ISSUER (of the accounts that people sign in with)',
  'oidc.clientId': 'OIDC_CLIENT_ID (of Cuecard, at that issuer)',
  'customDomain.name': 'DOMAIN (of the API)',
  'customDomain.certificateArn': 'CERTIFICATE_ARN (of the domain)',
  'backups.recipient': 'BACKUP_RECIPIENT (of the backups)',
}

/** The stage's existing file, or one made from the answers. @throws CommandError that names all missing or wrong answers */
export async function stageFileFor(
  stage: string,
  directory: string,
  answers: Answers,
): Promise<{ file: StageFile; isNew: boolean }> {
  const kept = readStageFile(directory, stage)
  if (kept) return { file: kept, isNew: false }
  const region = await shellRegion()
  const settings = settingsOf(answers)
  const { account } = await identityOf(awsClients(region))
  return { file: { account, region, ...settings }, isNew: true }
}

function settingsOf(answers: Answers) {
  const { PROVIDER_URL: baseUrl = 'https://api.openai.com/v1', PROVIDER_MODEL: model = 'text-embedding-3-small' } =
    answers
  const {
    DOMAIN: name,
    CERTIFICATE_ARN: certificateArn = '',
    BACKUP_TO: to,
    BACKUP_RECIPIENT: recipient = '',
    MAIL_FROM: mailFrom,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId = '',
  } = answers
  const parsed = v.safeParse(teamSettings, {
    alarmAddress: answers.ALARM_ADDRESS ?? '',
    runbookUrl: answers.RUNBOOK_URL ?? '',
    provider: baseUrl === 'encoder' ? baseUrl : { baseUrl, model },
    ...(mailFrom && { mailFrom }),
    ...(issuer && { oidc: { issuer, clientId } }),
    ...(name && { customDomain: { name, certificateArn } }),
    ...(to && { backups: { to, recipient } }),
  })
  if (parsed.success) return parsed.output
  const secrets = ['OWNER_URL', baseUrl !== 'encoder' && 'PROVIDER_KEY', issuer && 'OIDC_CLIENT_SECRET']
  const missing = secrets.filter((each) => each && !answers[each])
  throw missingError([
    ...parsed.issues.map((issue) => `${names[v.getDotPath(issue)!]} ${issue.message}`),
    ...missing.map((each) => `${each}, which is secret, unless you type it`),
  ])
}
