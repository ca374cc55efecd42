import { type ChunkSize, chunking } from '../chunking/chunker.ts'
import { inTurns } from '../concurrency/steps.ts'
import type { Database } from '../database/database.ts'
import type { AgentScope } from '../database/scope.ts'
import type { Embedder } from '../embedding/embedder.ts'
import { heaviest } from '../retrieval/speech/speech.ts'
import { answeringWords, answerOf, type Broken } from './broken.ts'
import { type Check, hasValue, hasWords, maxPerAgent } from './check.ts'
import { listChecks, updateCheck } from './store.ts'
import { ask } from './try-change.ts'

/** A check that fails, or would, for a person who decides what is right. */
export type Failing = Pick<Broken, 'golden_question_id' | 'question' | 'as_of' | 'value' | 'compared'>

const maxAsked = 5

/** Asks checks of which a document warns, and finds in its earlier text what answered those that fail. */
export async function failingNow(
  db: Database,
  scope: AgentScope,
  document: { id: string; title: string; warned: readonly string[]; earlier: string; chunkSize: ChunkSize },
): Promise<Failing[]> {
  const { id: document_id, title: document_title, warned, earlier, chunkSize } = document
  if (warned.length === 0) return []
  const { questions } = await listChecks(db, scope, { limit: maxPerAgent })
  const asked = questions.filter(({ id }) => warned.includes(id)).slice(0, maxAsked)
  const failing = (await ask(db, scope, asked)).filter(({ passed }) => !passed)
  const chunks = (await inTurns(chunking(earlier, chunkSize))).map(({ content }) => content)
  return failing.map((result) => {
    const { question: check, value } = result
    const content = answerIn(chunks, check)
    const passage = content === undefined ? undefined : { document_id, document_title, content }
    return {
      golden_question_id: check.id,
      question: check.question,
      as_of: null,
      value: hasValue(check, value) ? null : { lost: check.value, instead: value },
      compared: { check, before: { passage, value: check.value }, after: answerOf(result, document_id) },
    }
  })
}

function answerIn(chunks: readonly string[], { question, words, value, expects_nothing }: Check): string | undefined {
  if (expects_nothing) return undefined
  const having = chunks.filter((chunk) => hasWords(chunk, words ?? value ?? ''))
  return heaviest([question], having.length > 0 ? having : chunks)
}

/** Makes the checks expect what would answer them now. */
export async function updateChecks(
  store: { db: Database; embedder: Embedder },
  scope: AgentScope,
  failing: readonly Failing[],
): Promise<void> {
  for (const { golden_question_id, as_of, compared } of failing)
    if (as_of === null) await updateCheck(store, scope, golden_question_id, expectedNow(compared))
}

function expectedNow({ check, after: { passage, value } }: Failing['compared']) {
  const nothing = { document_id: null, words: null, value: null, expects_value: false, expects_nothing: true }
  if (!passage) return nothing
  const hasValue = check.expects_value && value !== null
  const words =
    check.words !== null && hasWords(passage.content, check.words)
      ? check.words
      : answeringWords(check.question, passage.content)
  return {
    document_id: check.expects_nothing || check.document_id !== null ? passage.document_id : null,
    words: hasValue && check.words === null ? null : words,
    value: hasValue ? value : null,
    expects_value: hasValue,
    expects_nothing: false,
  }
}
