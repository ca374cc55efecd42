import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type * as v from 'valibot'
import type { runResponse } from '../../../functions/questions/checks/schemas.ts'
import { CommandError } from '../../command-line/command-error.ts'
import { id, subcommand } from '../../command-line/options.ts'
import { onOneLine } from '../../command-line/sentence.ts'
import { messageOf } from '../../error-message.ts'
import type { Api } from '../api.ts'
import { overApi } from '../over-api.ts'
import { type Golden, importQuestions, titlesOf } from './import.ts'
import { pagesOf } from './pages.ts'
import { writeQuestions } from './questions-file.ts'

interface Options {
  agent: string
}

const agent = () => new Option('--agent <id>', 'id of the agent').argParser(id).makeOptionMandatory()

export function addQuestionCommands(program: Command): void {
  const command = subcommand(program, 'questions', 'check golden questions; with BASE_URL and API_KEY only')
  subcommand(command, 'check', 'ask an agent’s golden questions; exit with 1 if one fails')
    .addOption(agent())
    .action(
      overApi(
        async ({ api, program }, { agent }: Options) => {
          const data = await check(api, agent)
          const failing = data.filter(({ result }) => result === 'fails').length
          if (failing > 0) program.fail(`${failing} of ${data.length} golden questions fail`)
          return { data }
        },
        ['question', 'result', 'rank', 'first', 'passage'],
      ),
    )
  subcommand(command, 'export', 'print golden questions as the CSV that npm run evaluate reads')
    .addOption(agent())
    .action(
      overApi(async ({ api, program }, { agent }: Options) => {
        const { questions, left } = await exported(api, agent)
        program.terminal.stdout.write(writeQuestions(questions))
        for (const question of left)
          program.warn(`warning: left out, as its document is deleted: ${onOneLine(question)}`)
        return undefined
      }),
    )
  subcommand(command, 'import', 'create golden questions from a CSV file like the one that export prints')
    .argument('<file>', 'the CSV file; nothing should answer a question without title, words and value')
    .addOption(agent())
    .addOption(
      new Option('--on-failure <what>', 'what happens to a change that makes one fail, unless the file says otherwise')
        .choices(['warn', 'block'])
        .default('warn'),
    )
    .action(
      overApi(async ({ api }, file: string, { agent, onFailure }: Options & { onFailure: 'warn' | 'block' }) => {
        const text = await readFile(file, 'utf8').catch((error: Error) => {
          throw new CommandError(`cannot read ${file}: ${messageOf(error)}`)
        })
        return { data: await importQuestions(api, agent, { text, file, onFailure }) }
      }),
    )
}

/** Leaves out questions that were deleted or created in the meantime. */
async function check(api: Api, agentId: string) {
  const path = `/v1/agents/${agentId}/golden-questions`
  const { data } = (await api('POST', `${path}/run`)) as v.InferOutput<typeof runResponse>
  const results = new Map(data.map((result) => [result.golden_question_id, result]))
  return (await pagesOf<Golden>(api, path)).flatMap(({ id, question, on_failure }) => {
    const result = results.get(id)
    if (!result) return []
    const { passed, rank, first } = result
    const found = { first: first?.document_title ?? null, passage: first?.content ?? null }
    return [{ golden_question_id: id, question, on_failure, result: passed ? 'passes' : 'fails', rank, ...found }]
  })
}

async function exported(api: Api, agentId: string) {
  const golden = await pagesOf<Golden>(api, `/v1/agents/${agentId}/golden-questions`)
  const titles = await titlesOf(api, agentId)
  const isLeft = ({ expects }: Golden) => expects.document_id !== undefined && !titles.has(expects.document_id)
  const questions = golden
    .filter((each) => !isLeft(each))
    .map(({ expects: { document_id, words, value }, ...rest }) => {
      return { ...rest, title: document_id && titles.get(document_id), document_id, words, value }
    })
  return { questions, left: golden.filter(isLeft).map(({ question }) => question) }
}
