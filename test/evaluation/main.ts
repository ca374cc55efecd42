import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { type Question, questionsByLine } from '../../infra/client/questions/questions-file.ts'
import { CommandError } from '../../infra/command-line/command-error.ts'
import { type Answer, askAll } from './ask.ts'
import { changesText, check, requireDefault, writeFigures } from './committed.ts'
import { foreign, type Source, toFigures } from './figures.ts'
import { type Business, readSet } from './labelled-set.ts'
import { embedderOf } from './models.ts'
import { askMoments, momentFailures, momentFigures, momentText } from './moments/moments.ts'
import { askPlaces, placesFailures, placesFigures, placesText } from './places/places.ts'
import { toFailures, toTable, withTable } from './report.ts'
import { searchOf } from './running-system.ts'
import { askShops, type Half, halves, shopFailures, shopFigures, shopText } from './shops/shops.ts'
import { openStand } from './stand.ts'
import { askForValues } from './value/report.ts'
import { tableQuestions } from './value/sets.ts'

interface Options {
  set: string
  failures?: true
  json?: true
  check?: true
  write?: true
  readme?: true
  questions?: string
  model?: string
  floor?: string
  history?: true
  url: string
  agent?: string
  key?: string
  shops?: Half | true
  moments?: Half | true
  places?: Half | true
  tables?: string | true
}

interface Run {
  source: Source
  answers: Answer[]
}

const progressMilliseconds = 2000
const maxForeign = 30
const readme = join(import.meta.dirname, '../../shared/retrieval/README.md')

const forSet = (flags: string, description: string) => new Option(flags, description).conflicts('questions')
const program = new Command('npm run evaluate --')
  .description(
    'Measures how often search finds the right passage, in each mode: with the questions of this repository on a stand of its own, or with questions of yours on a running system.',
  )
  .option('--failures', 'list each question whose right passage is not first, with what is')
  .option('--json', 'print one line of JSON, and all else on stderr')
  .addOption(forSet('--check', 'exit with 1 if a figure is lower than the committed one'))
  .addOption(forSet('--write', 'write the figures to commit'))
  .addOption(forSet('--readme', 'write the table into shared/retrieval/README.md'))
  .addOption(
    forSet('--set <folder>', 'a folder of businesses').default(join(import.meta.dirname, 'set'), 'this repository’s'),
  )
  .addOption(
    forSet('--model <model>', 'encoder, lexical, or the base URL of a provider; else what the environment configures'),
  )
  .addOption(forSet('--floor <cosine>', 'raise all cosines, as models whose lowest is 0.7 do'))
  .addOption(forSet('--history', 'ask with the earlier turns and given documents of each history.json'))
  .option('--questions <file>', 'CSV with the columns question, and title or words of the right passage, or both')
  .addOption(forSet('--shops [half]', 'ask the questions of whole shops instead, of one half').choices(halves))
  .addOption(forSet('--moments [half]', 'ask questions of shops at their moments instead, of one half').choices(halves))
  .addOption(forSet('--places [half]', 'ask businesses where they are instead, of one half').choices(halves))
  .addOption(forSet('--tables [folder]', 'ask for cells of tables instead: of test/evaluation/tables, or of a folder'))
  .addOption(new Option('--agent <id>', 'whom to ask them').env('AGENT_ID'))
  .addOption(new Option('--url <url>', 'the running system').env('BASE_URL').default('http://127.0.0.1:8787'))
  .addOption(new Option('--key <key>', 'an API key that may search').env('API_KEY'))
  .action(evaluate)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  console.error(`error: ${error.message}`)
  process.exitCode = 1
}

async function evaluate(options: Options): Promise<void> {
  if (options.shops) return await askHalves(options, options.shops, shopsOf)
  if (options.moments) return await askHalves(options, options.moments, momentsOf)
  if (options.places) return await askHalves(options, options.places, placesOf)
  if (options.tables) return await askTables(options, options.tables)
  const { source, answers } = options.questions === undefined ? await askSet(options) : await askOwn(options)
  const isKept = options.write || options.readme || options.check
  const figures = { ...toFigures(source, answers), ...(isKept && (await figuresOfHalves(options))) }
  const say = options.json ? console.error : console.log
  if (options.json) console.log(JSON.stringify({ ...figures, answers }))
  else console.log(toTable(figures))
  if (options.failures) say(`\n${toFailures(figures, answers)}`)
  const degraded = answers.filter(({ isDegraded }) => isDegraded).length
  if (degraded > 0) say(`\n${degraded} of ${answers.length} answers are degraded: the keyword arm’s alone`)
  if (options.questions !== undefined) return

  say(`\n${changesText(figures, answers)}`)
  if (isKept) requireDefault(figures)
  if (options.write) writeFigures(figures)
  if (options.readme) writeFileSync(readme, withTable(readFileSync(readme, 'utf8'), figures))
  if (options.check) check(figures)
}

async function figuresOfHalves(options: Options) {
  const stand = await openStand(process.env.DATABASE_URL || undefined, embedderOf(options))
  try {
    return {
      shops: { tune: shopFigures(await askShops(stand, 'tune')), judge: shopFigures(await askShops(stand, 'judge')) },
      moments: {
        tune: momentFigures(await askMoments(stand, 'tune')),
        judge: momentFigures(await askMoments(stand, 'judge')),
      },
      places: {
        tune: placesFigures(await askPlaces(stand, 'tune')),
        judge: placesFigures(await askPlaces(stand, 'judge')),
      },
    }
  } finally {
    await stand.close()
  }
}

/** Asks one half, or both, and prints what `ask` says of each. */
async function askHalves(
  options: Options,
  half: Half | true,
  ask: (stand: Stand, half: Half) => Promise<string[]>,
): Promise<void> {
  const stand = await openStand(process.env.DATABASE_URL || undefined, embedderOf(options))
  try {
    for (const each of half === true ? halves : [half]) {
      const [figures, failures] = await ask(stand, each)
      console.log(figures)
      if (options.failures) console.log(`\n${failures}`)
    }
  } finally {
    await stand.close()
  }
}

type Stand = Awaited<ReturnType<typeof openStand>>

async function shopsOf(stand: Stand, half: Half): Promise<string[]> {
  const asked = await askShops(stand, half)
  return [shopText(half, asked), shopFailures(asked)]
}

async function momentsOf(stand: Stand, half: Half): Promise<string[]> {
  const asked = await askMoments(stand, half)
  return [momentText(half, asked), momentFailures(asked)]
}

async function placesOf(stand: Stand, half: Half): Promise<string[]> {
  const asked = await askPlaces(stand, half)
  return [placesText(half, asked), placesFailures(asked)]
}

async function askTables(options: Options, tables: string | true): Promise<void> {
  const folder = tables === true ? join(import.meta.dirname, 'tables') : tables
  const stand = await openStand(process.env.DATABASE_URL || undefined, embedderOf(options))
  try {
    console.log(await askForValues(stand, tableQuestions(folder)))
  } finally {
    await stand.close()
  }
}

/** Each business is an agent with its documents and its questions. */
async function askSet(options: Options): Promise<Run> {
  const businesses = readSet(options.set)
  const set = createHash('sha256').update(JSON.stringify(businesses)).digest('hex').slice(0, 16)
  const stand = await openStand(process.env.DATABASE_URL || undefined, embedderOf(options))
  try {
    const asked = progress(businesses.flatMap((business) => questionsTo(business, businesses)).length)
    const answers: Answer[] = []
    for (const business of businesses)
      answers.push(
        ...(await askAll(
          await stand.ingest(business),
          questionsTo(business, businesses),
          asked,
          options.history && business.before,
        )),
      )
    return { source: { model: stand.model, set }, answers }
  } finally {
    await stand.close()
  }
}

/** Its own questions, and some of the others', to which it has no answer. */
function questionsTo(business: Business, businesses: readonly Business[]): Question[] {
  const others = businesses.filter((other) => other !== business).flatMap(({ questions }) => questions)
  const chosen = others.filter((_, i) => i % Math.ceil(others.length / maxForeign) === 0)
  const asked = chosen.map((each) => ({
    ...each,
    id: `${business.name}, ${each.id}`,
    kind: foreign,
    expected: undefined,
  }))
  return [...business.questions, ...asked]
}

async function askOwn({ questions: file, url, agent, key }: Options): Promise<Run> {
  if (!agent) throw new CommandError('name the agent to ask: --agent or AGENT_ID')
  if (!key) throw new CommandError('an API key is needed: API_KEY or --key')
  if (!URL.canParse(url)) throw new CommandError(`--url must be a URL such as http://127.0.0.1:8787, not ${url}`)
  if (!existsSync(file!)) throw new CommandError(`cannot read ${file}`)
  const questions = [...questionsByLine(readFileSync(file!, 'utf8'), file!).values()]
    // A value is not measured here.
    .filter(({ expected }) => !expected || expected.title || expected.words)
  const search = searchOf({ url, agentId: agent, apiKey: key })
  return { source: {}, answers: await askAll(search, questions, progress(questions.length)) }
}

/** @returns a function to call after each question; it sometimes prints progress on stderr */
function progress(total: number): () => void {
  let done = 0
  let told = performance.now()
  return () => {
    done++
    if (performance.now() - told < progressMilliseconds) return
    told = performance.now()
    console.error(`${done} of ${total} questions asked`)
  }
}
