import { Command } from 'commander'
import { answers } from '../command.ts'
import type { Services } from '../connection.ts'
import { checkDocuments } from '../health.ts'
import { onOneLine } from '../print.ts'
import { CommandError } from '../refusal.ts'

export function healthCommand() {
  return new Command('health')
    .description('how the system is: documents by status, what is late, dead letters, agents at their limit')
    .action(
      answers(async (services) => {
        const documents = await checkDocuments(services.db)
        return { target: services.target, ...documents, dead_letters: await countDeadLetters(services) }
      }),
    )
}

export function queueCommand() {
  const command = new Command('queue').description('the queue of documents to process')
  command
    .command('redrive')
    .description('move the dead letters back to the queue, once what made them fail is mended')
    .action(
      answers(async ({ queues }) => {
        const { redrive } = await queues()
        if (!redrive) throw new CommandError('set QUEUE_URL and DEAD_LETTER_QUEUE_URL')
        return { moved: await redrive() }
      }),
    )
  return command
}

/** Null, and why on stderr, when it cannot be told. */
async function countDeadLetters({ queues }: Services): Promise<number | null> {
  const { countDeadLetters } = await queues()
  if (!countDeadLetters) {
    console.error('Dead letters are not counted: DEAD_LETTER_QUEUE_URL is not set.')
    return null
  }
  try {
    return await countDeadLetters()
  } catch (error) {
    console.error(`Dead letters are not counted: ${onOneLine(String(error))}`)
    return null
  }
}
