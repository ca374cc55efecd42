import { Command } from 'commander'
import { CommandError } from '../command-error.ts'
import { checkDocuments } from '../health.ts'
import { onOneLine } from '../print.ts'
import { action, audited, type Context } from './action.ts'

export function healthCommand() {
  return new Command('health')
    .description(
      'show documents by status, overdue work, the embedding provider’s last error, dead letters, agents at their document limit, open connections, and logins without a statement timeout',
    )
    .action(
      action(async (context) => {
        const documents = await checkDocuments(context.db)
        const host = context.host ?? null
        if (host === 'pooled')
          context.program.warn(
            'warning: DATABASE_URL names the pooled host, which is for the Lambdas: use the direct one',
          )
        return { target: context.target, host, ...documents, dead_letters: await countDeadLetters(context) }
      }),
    )
}

export function queueCommand() {
  const command = new Command('queue').description('manage the queue of documents to process')
  command
    .command('redrive')
    .description('move the dead letters back to the queue; fix what made them fail first')
    .action(
      audited(async ({ queues }) => {
        const { redrive } = await queues()
        if (!redrive) throw new CommandError('QUEUE_URL and DEAD_LETTER_QUEUE_URL must be set')
        return { moved: await redrive() }
      }),
    )
  return command
}

/** Null, with the reason on stderr, when the queue cannot be read. */
async function countDeadLetters({ queues, program }: Context): Promise<number | null> {
  const { countDeadLetters } = await queues()
  if (!countDeadLetters) {
    program.warn('warning: cannot count dead letters: DEAD_LETTER_QUEUE_URL is not set')
    return null
  }
  try {
    return await countDeadLetters()
  } catch (error) {
    program.warn(`warning: cannot count dead letters: ${onOneLine(String(error))}`)
    return null
  }
}
