import { GetAccountCommand, GetEmailIdentityCommand } from '@aws-sdk/client-sesv2'
import { mailIdentitiesOf } from '../../aws/stages.ts'
import { undefinedIfMissing } from '../aws.ts'
import type { Context } from '../context.ts'
import { type Finding, ok, warning } from './check.ts'

/** Checks that SES sends the dashboard's mails, because a person to whom none comes only sees that it was sent. */
export async function checkMail({ aws: { mail }, settings }: Context): Promise<Finding[]> {
  const identities = mailIdentitiesOf(settings.mailFrom)
  if (identities.length === 0) return []
  const [account, ...found] = await Promise.all([
    mail.send(new GetAccountCommand({})),
    ...identities.map((EmailIdentity) =>
      mail.send(new GetEmailIdentityCommand({ EmailIdentity })).catch(undefinedIfMissing),
    ),
  ])
  const verified = identities.find((_, i) => found[i]?.VerifiedForSendingStatus)
  const faults = [
    !verified && `SES has verified none of ${identities.join(', ')} in ${settings.region}`,
    !account.ProductionAccessEnabled && 'SES’s sandbox reaches only verified addresses: request production access',
    !account.SendingEnabled && `SES has stopped the account’s mails (${account.EnforcementStatus})`,
  ].filter((fault) => fault !== false)
  return faults.length > 0 ? faults.map((fault) => warning('mail', fault)) : [ok('mail', `from ${verified}`)]
}
