import { type Command, Option } from 'commander'
import { externalId } from '../../../shared/documents/contract/input.ts'
import { CommandError } from '../../command-line/command-error.ts'
import { id, parser } from '../../command-line/options.ts'
import { onOneLine, sentenceOf } from '../../command-line/sentence.ts'
import type { Program } from '../../command-line/terminal.ts'
import type { Api } from '../api.ts'
import { overApi } from '../over-api.ts'
import type { Wanted } from './document.ts'
import { walk } from './folder.ts'
import { makePlan, type Plan } from './plan.ts'
import { progressOf } from './progress.ts'

interface Options {
  agent: string
  prefix: string
  dryRun?: true
  yes?: true
}

export function addSyncCommand(program: Command): void {
  program
    .command('sync')
    .description(
      'make an agent’s documents equal to a folder of Markdown, text, CSV and HTML; with BASE_URL and API_KEY only',
    )
    .argument('<folder>', 'the folder')
    .addOption(new Option('--agent <id>', 'id of the agent').argParser(id).makeOptionMandatory())
    .addOption(
      new Option('--prefix <text>', 'prefix of the external ids; only documents with it are changed or deleted')
        .argParser(parser(externalId))
        .default('files/'),
    )
    .option('--dry-run', 'print what would change, and change nothing')
    .option('--yes', 'delete even more than a third of the documents')
    .action(
      overApi(
        async ({ api, program }, folder: string, { agent, prefix, dryRun, yes }: Options) => {
          const knowledgeBase = `/v1/agents/${agent}/knowledge-base`
          const { files, leftOut } = await walk(folder)
          for (const [reason, same] of Map.groupBy(leftOut, ({ reason }) => reason))
            program.warn(`left out, as ${reason}: ${listed(same.map(({ path }) => path))}`)
          const plan = await makePlan(api, knowledgeBase, { root: folder, files, prefix })
          for (const { path, reason } of [...plan.failed, ...plan.inError])
            program.fail(`${onOneLine(path)}: ${reason}`)
          if (dryRun) return { data: changesOf(plan) }
          if (plan.delete.length * 3 > plan.existing && !yes)
            throw new CommandError(
              `${plan.delete.length} of ${plan.existing} documents would be deleted, and nothing was changed: add --yes if you want that`,
            )
          return await carryOut(api, program, knowledgeBase, plan)
        },
        ['change', 'external_id', 'title'],
      ),
    )
}

function changesOf(plan: Plan): object[] {
  const rows = (change: string, all: Wanted[]) => all.map(({ external_id, title }) => ({ change, external_id, title }))
  return [
    ...rows('create', plan.create),
    ...rows('update', plan.update),
    ...plan.delete.map((external_id) => ({ change: 'delete', external_id, title: null })),
  ]
}

const requestsAtOnce = 4
/** Enough attempts to outlast a full pipeline. */
const attempts = 40

interface Job {
  outcome: 'created' | 'updated' | 'deleted'
  externalId: string
  body?: Wanted
}

/** Deletes last, and only without failures: a failed document may be a renamed one. */
async function carryOut(api: Api, program: Program, knowledgeBase: string, plan: Plan) {
  const { signal } = program.terminal
  const done = { created: 0, updated: 0, deleted: 0, unchanged: plan.unchanged, failed: plan.failed.length }
  const progress = progressOf(program, plan.create.length + plan.update.length + plan.delete.length)
  const run = async (jobs: Job[]) => {
    const left = jobs.values()
    const work = async () => {
      for (const { outcome, externalId, body } of left) {
        if (signal.aborted) return
        const path = `${knowledgeBase}/by-external-id/${encodeURIComponent(encodeURIComponent(externalId))}`
        const options = { attempts, signal, mayBeMissing: !body }
        try {
          await api(body ? 'PUT' : 'DELETE', path, body, options)
          done[outcome]++
        } catch (error) {
          if (signal.aborted) return
          done.failed++
          program.fail(`${onOneLine(externalId)}: ${sentenceOf(error)}`)
        }
        progress.next()
      }
    }
    await Promise.all(Array.from({ length: requestsAtOnce }, work))
  }
  const puts = (outcome: Job['outcome'], bodies: Wanted[]) =>
    bodies.map((body) => ({ outcome, externalId: body.external_id, body }))
  await run([...puts('created', plan.create), ...puts('updated', plan.update)])
  if (done.failed === 0) await run(plan.delete.map((externalId) => ({ outcome: 'deleted', externalId })))
  else if (plan.delete.length > 0) program.warn(`not deleted, as others failed: ${listed(plan.delete)}`)
  progress.end()
  if (signal.aborted) program.fail('interrupted: run it again to continue')
  return done
}

function listed(paths: string[]): string {
  const more = paths.length - 3
  return onOneLine(paths.slice(0, 3).join(', ')) + (more > 0 ? ` and ${more} more` : '')
}
