import { answeringWords, answerOf } from '../../../shared/checks/broken.ts'
import { hasValue, hasWords, maxPerAgent } from '../../../shared/checks/check.ts'
import { listChecks, updateCheck } from '../../../shared/checks/store.ts'
import { ask, type Renewal } from '../../../shared/checks/try-change.ts'
import { tryText } from '../../../shared/checks/try-text.ts'
import { type ChunkSize, chunking } from '../../../shared/chunking/chunker.ts'
import { inTurns } from '../../../shared/concurrency/steps.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { DocumentScope } from '../../../shared/database/scope.ts'
import { getRevision, listRevisions } from '../../../shared/documents/client/revisions.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { heaviest } from '../../../shared/retrieval/speech/speech.ts'
import { Unavailable } from '../../../shared/unavailable.ts'
import { isError } from '../error-view.ts'
import type { Failing } from '../refused-change.ts'
import type { Overview } from './overview.ts'
import { isStopped } from './state.ts'
import { readEditable } from './text/text.ts'

export interface Trier extends Renewal {
  db: Database
  chunkSize: ChunkSize
}

/** Longer texts are only checked in the background. */
const maxBytes = 1024 * 1024
const maxShown = 5

/** The checks that a text would break now. None if they can’t be asked at the moment: the pipeline asks them again. */
export async function brokenBy(trier: Trier, scope: DocumentScope, text: { title: string; content: string }) {
  if (Buffer.byteLength(text.content) > maxBytes) return []
  try {
    return (await tryText(trier, scope, text))?.broken ?? []
  } catch (error) {
    if (error instanceof Unavailable || isError(error, 'rate_limited')) return []
    throw error
  }
}

/** The checks that stop the text before it is stored. */
export async function stoppedBy(...given: Parameters<typeof brokenBy>): Promise<Failing[]> {
  return (await brokenBy(...given)).filter(({ blocks, as_of }) => blocks && as_of === null)
}

/** What the checks say against a document’s text, and the revision to go back to, if its text is kept. */
export async function findConflict(trier: Trier, scope: DocumentScope, document: Overview) {
  const { revisions } = await listRevisions(trier.db, scope, { limit: 2 })
  const hasStopped = isStopped(document)
  const old = revisions.find(({ is_served, bytes }) => is_served === hasStopped && bytes !== null)?.revision
  if (!hasStopped) return { old, failing: await failingNow(trier, scope, document, old) }
  const { title, content } = await readEditable(trier.db, scope, maxBytes)
  return { old, failing: content === null ? [] : await brokenBy(trier, scope, { title, content }) }
}

/** The checks of which the document warns, as they fail now. */
async function failingNow(trier: Trier, scope: DocumentScope, { warnings, title, id }: Overview, old?: number) {
  const warned = new Set(warnings.filter(({ as_of }) => !as_of).map((each) => each.golden_question_id))
  if (warned.size === 0) return []
  const { questions } = await listChecks(trier.db, scope, { limit: maxPerAgent })
  const results = await ask(trier.db, scope, questions.filter((question) => warned.has(question.id)).slice(0, maxShown))
  const { content = '' } = old === undefined ? {} : await getRevision(trier.db, scope, old)
  const chunks = (await inTurns(chunking(content ?? '', trier.chunkSize))).map((chunk) => chunk.content)
  const failing = results.filter(({ passed }) => !passed)
  return failing.map((result): Failing => {
    const { question: check, value } = result
    const having = chunks.filter((chunk) => hasWords(chunk, check.words ?? check.value ?? ''))
    const was = heaviest([check.question], having.length > 0 ? having : chunks)
    const passage = was === undefined ? undefined : { document_id: id, document_title: title, content: was }
    return {
      golden_question_id: check.id,
      question: check.question,
      as_of: null,
      value: hasValue(check, value) ? null : { lost: check.value, instead: value },
      compared: { check, before: { passage, value: check.value }, after: answerOf(result, id) },
    }
  })
}

/** Makes the checks expect what would answer them now. */
export async function updateChecks(
  store: { db: Database; embedder: Embedder },
  scope: DocumentScope,
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
