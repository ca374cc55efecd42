// Uploads files that nothing is tuned on to a stand, and asks about them: npm run evaluate-files -- [--json FILE]
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { characterAccuracy } from './character-accuracy.ts'
import { type Found, hasAnswer, isWhole, type Question } from './judge.ts'

interface Outcome extends Question {
  kind: string
  /** The rank of the first right hit, if within five. */
  rank: number | undefined
  /** Undefined where the answer stands in no row. */
  whole: boolean | undefined
  first: string | undefined
  error: string | undefined
}

/** The outcome of a file: its text, or the error that its owner reads. */
interface Upload {
  id?: string
  text?: string
  error?: string
  seconds: number
}

const { values } = parseArgs({ options: { json: { type: 'string' } } })
if (!process.env.EMBEDDING_BASE_URL) process.env.EMBEDDING_MODEL ||= 'encoder'
process.env.POWERTOOLS_LOG_LEVEL ||= 'SILENT'

// Loaded after the settings, which are read at load.
const { startStand } = await import('../../../infra/local/stand.ts')
const { makeTenant } = await import('../../support/stand/tenant.ts')

const longestSeconds = 180
const languages = ['en', 'de', 'es', 'ja']
const folder = (name: string) => join(import.meta.dirname, name)
const lines = readFileSync(folder('questions.jsonl'), 'utf8').trim().split('\n')
const questions = lines.map((line): Question => JSON.parse(line))
const outcomes: Outcome[] = []
const scans: { name: string; accuracy: number; seconds: number; error: string | undefined }[] = []

const stand = await startStand({ port: 0 })
for (const language of languages) {
  const { ask, upload } = await openAgent()
  const uploads = new Map<string, Upload>()
  for (const name of readdirSync(folder(language)).sort(scansLast)) uploads.set(name, await upload(language, name))
  for (const question of questions) {
    const uploaded = uploads.get(question.file)
    if (uploaded) outcomes.push(await outcomeOf(question, uploaded, ask))
  }
  console.error(`${outcomes.length} of ${questions.length} questions asked`)
  // After the questions, with which their text would compete.
  for (const name of readdirSync(folder('scans')).filter((each) => each.match(`-${language}-.*[gf]$`))) {
    const { text, seconds, error } = await upload('scans', name)
    const truth = readFileSync(join(folder('scans'), name.replace(/\.\w+$/, '.txt')), 'utf8')
    scans.push({ name, accuracy: characterAccuracy(truth, text ?? ''), seconds, error })
  }
}
await stand.close()
print()
if (values.json) writeFileSync(values.json, JSON.stringify({ outcomes, scans }, null, 1))
process.exit(0)

/** Sorts scans last, because their reading may depend on the language of the agent's other documents. */
function scansLast(a: string, b: string): number {
  return Number(kindOf(a) === 'scan') - Number(kindOf(b) === 'scan') || a.localeCompare(b)
}

function kindOf(name: string): string {
  return /scan|\.(jpe?g|png)$/i.test(name) ? 'scan' : extname(name).slice(1).toLowerCase().slice(0, 4)
}

/** A separate agent, used over HTTP. Files are uploaded like a program's. */
async function openAgent() {
  const { apiKey, knowledgeBase } = await makeTenant(stand.db)
  const call = async (path: string, body?: unknown) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const more = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${stand.origin}${knowledgeBase}${path}`, { headers, ...more })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    // biome-ignore lint/suspicious/noExplicitAny: callers know what they ask for
    return (response.status === 202 ? undefined : await response.json()) as any
  }

  async function upload(where: string, fileName: string): Promise<Upload> {
    const start = performance.now()
    const result = await read(readFileSync(join(folder(where), fileName)), fileName).catch(({ message }: Error) => ({
      error: message,
    }))
    const seconds = (performance.now() - start) / 1_000
    console.error(`${where}/${fileName} ${seconds.toFixed(1)} s ${'error' in result ? result.error : ''}`)
    return { ...result, seconds }
  }

  async function read(file: Buffer, fileName: string) {
    const { document, upload } = await call('/files', { name: fileName, bytes: file.length })
    const form = new FormData()
    for (const [name, value] of Object.entries<string>(upload.fields)) form.set(name, value)
    form.set('file', new Blob([new Uint8Array(file)]))
    if ((await fetch(upload.url, { method: 'POST', body: form })).status !== 204) throw new Error('not stored')
    const { id } = document
    await call(`/${id}/uploaded`, {})
    for (const start = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const { status, error_message } = await call(`/${id}`)
      if (status === 'completed') break
      if (status === 'error') throw new Error(error_message)
      if (performance.now() - start > longestSeconds * 1_000) throw new Error(`still ${status}`)
    }
    const { text } = await call(`/${id}?include=text`)
    return { id: id as string, text: text as string }
  }

  const ask = async (query: string): Promise<Found[]> =>
    (await call('/search', { query, limit: 5, deadline_ms: 10_000 })).data
  return { upload, ask }
}

async function outcomeOf(question: Question, { id, error }: Upload, ask: (query: string) => Promise<Found[]>) {
  const found = error === undefined ? await ask(question.question) : []
  const right = found.map((hit) => hit.document_id === id && hasAnswer(hit.content, question))
  const rank = right.includes(true) ? right.indexOf(true) + 1 : undefined
  const whole = question.row && found.some(({ content }, place) => right[place] && isWhole(content, question))
  return { ...question, kind: kindOf(question.file), rank, whole, first: found[0]?.content, error }
}

function print(): void {
  console.log('| kind of file | questions | right first | in five | wrong | rows whole | of |')
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  for (const kind of new Set(outcomes.map((each) => each.kind)))
    console.log(tableRow(kind, ({ kind: each }) => each === kind))
  for (const language of languages) {
    const names = readdirSync(folder(language))
    console.log(tableRow(`in ${language}`, ({ file }) => names.includes(file)))
  }
  console.log(tableRow('all', () => true))
  for (const kind of ['clean', 'photo']) {
    const of = scans.filter(({ name }) => name.startsWith(kind))
    const mean = of.reduce((sum, { accuracy }) => sum + accuracy, 0) / of.length
    const seconds = Math.max(...of.map((each) => each.seconds)).toFixed(1)
    console.log(`${of.length} ${kind}: ${(100 * mean).toFixed(1)} % of characters right, ${seconds} s at most`)
  }
}

function tableRow(name: string, isOf: (outcome: Outcome) => boolean): string {
  const of = outcomes.filter(isOf)
  const count = (is: (outcome: Outcome) => boolean) => of.filter(is).length
  const cells = [
    of.length,
    count(({ rank }) => rank === 1),
    count(({ rank }) => rank !== undefined && rank > 1),
    count(({ rank }) => rank === undefined),
    count(({ whole }) => whole === true),
    count(({ whole }) => whole !== undefined),
  ]
  return `| ${[name, ...cells].join(' | ')} |`
}
