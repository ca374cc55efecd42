import type { DocumentScope } from '../../shared/database/scope.ts'
import { createFileDocument, reportFile } from '../../shared/documents/client/file-document.ts'
import { keyOfUrl } from '../../shared/files/file-url.ts'
import { ApiError } from '../../shared/http/errors.ts'
import type { AgentId, OrganizationId } from '../../shared/ids.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { axis } from '../support/provider/axis.ts'
import { poison } from '../support/provider/provider-responses.ts'
import { checkVerdict, type Form, forget, type Made, type Remembered, type Result, sentence, words } from './made.ts'
import {
  type Decision,
  decideDeleteChunks,
  decidePatch,
  decideRestore,
  decideUpload,
  type ModelChunk,
  type ModelDocument,
  newDocument,
  newFileDocument,
} from './model.ts'
import { type Fate, Process } from './process.ts'
import { unreadable } from './simulated-bucket.ts'
import type { Tenant, World } from './world.ts'

type Patch = Parameters<typeof decidePatch>[1]

/** Makes random requests to the API, and updates the model with their effects. */
export class Requests {
  readonly #world: World
  readonly #fateOf: (kind: 'sql' | 'send') => Fate
  readonly #remembered: Remembered[] = []
  #forms: Form[] = []
  #count = 0
  readonly log: string[]

  constructor(world: World, fateOf: (kind: 'sql' | 'send') => Fate, log: string[]) {
    this.#world = world
    this.#fateOf = fateOf
    this.log = log
  }

  async makeOne(): Promise<void> {
    const { random, tenants, queue } = this.#world
    const tenant = random.pick(tenants)
    const document = tenant.documents.length > 0 ? random.pick(tenant.documents) : undefined
    if (this.#forms.length > 0 && random.chance(0.25)) return this.#post(random.pick(this.#forms))
    if (!document || (tenant.documents.length < 3 && random.chance(0.25)))
      return await (random.chance(0.5) ? this.#createFile(tenant) : this.create(tenant))
    const path = `/v1/agents/${tenant.agentId}/knowledge-base/${document.id}`
    const now = queue.now
    const send = (method: string, more: Partial<Made>, decision: Decision) =>
      this.#request(tenant, { app: 'documents', method, path, ...more }, document, decision)
    const patch = (body: Patch) => send('PATCH', { body }, decidePatch(document, body, now))
    const retitled = () => ({ title: `Title ${this.#count++}` })
    const outdated = { verdict: { status: 412, code: 'precondition_failed' } }
    const actions: Record<string, [weight: number, act: () => Promise<void>]> = {
      content: [9, () => patch({ content: this.#content(document) })],
      title: [2, () => patch(retitled())],
      retry: [4, () => patch({ status: 'pending' })],
      restore: [3, () => restore()],
      complete: [4, () => patch({ status: 'completed' })],
      upload: [5, () => this.#upload(tenant, document, path)],
      strip: [2, () => send('DELETE', { app: 'chunks', path: `${path}/chunks` }, decideDeleteChunks(now))],
      remove: [2, () => send('DELETE', {}, { verdict: { status: 204 }, change: () => forget(tenant, document) })],
      repeat: [3, () => this.#repeat()],
      refused: [2, () => this.#refused(tenant, path)],
      stale: [1, () => send('DELETE', { headers: { 'if-match': '"0"' } }, outdated)],
      guarded: [3, () => guarded()],
    }
    const guarded = async () => {
      if (!document.tag) return
      const { etag, edits } = document.tag
      const body = retitled()
      const decision = edits === document.edits ? decidePatch(document, body, now) : outdated
      await send('PATCH', { body, headers: { 'if-match': etag } }, decision)
    }
    const restore = async () => {
      if (document.history.length === 0) return
      const { revision, content } = random.pick(document.history.slice(-20))
      const made = { path: `${path}/revisions/${revision}/restore` }
      await send('POST', made, decideRestore(document, content, now))
    }
    const weights = Object.fromEntries(Object.entries(actions).map(([name, [weight]]) => [name, weight]))
    await actions[random.weighed(weights)]![1]()
  }

  async create(tenant: Tenant): Promise<void> {
    const { random, queue } = this.#world
    const title = `Document ${this.#count++}`
    const content = random.chance(0.85) ? this.#content(undefined) : null
    const document = newDocument(title, content, queue.now)
    const path = `/v1/agents/${tenant.agentId}/knowledge-base`
    const body = content === null ? { title } : { title, content }
    const decision = { verdict: { status: 201 }, change: () => tenant.documents.push(document) }
    await this.#request(tenant, { app: 'documents', method: 'POST', path, body }, document, decision, true)
  }

  async #createFile(tenant: Tenant): Promise<void> {
    const { random, queue, db, bucket } = this.#world
    const title = `File ${this.#count++}`
    const content = random.weighed({ text: 10, unreadable: 1, empty: 1 })
    const document = newFileDocument(title, this.#fileContent(content), queue.now)
    const scope = { organizationId: tenant.organizationId as OrganizationId, agentId: tenant.agentId as AgentId }
    const file = { title, fileName: 'a file.txt', fileBytes: 1, bucket: 'files' }
    const process = new Process('dashboard', () => createFileDocument(db, scope, file, {}))
    const fates = await this.#drive(process, 1, () => tenant.documents.push(document))
    this.log.push(`file ${content} ${fates}`)
    if (process.ended && 'error' in process.ended && !(process.ended.error instanceof Unavailable))
      throw process.ended.error
    if (!tenant.documents.includes(document)) return
    await this.#findId(tenant, document)
    const row = db.selectFrom('documents').select('source_url').where('id', '=', document.id)
    const key = keyOfUrl((await row.executeTakeFirstOrThrow()).source_url!)
    document.file!.key = key
    if (bucket.files.has(key)) throw new Error('a key that is not new')
    // A client without a response has no form.
    if (process.ended && 'value' in process.ended)
      this.#forms.push({ tenant, document, key, content: document.file!.content, until: queue.now + 3600 })
  }

  #fileContent(kind: 'text' | 'unreadable' | 'empty'): string {
    if (kind === 'empty') return '…'
    return kind === 'text' ? this.#content(undefined) : `${this.#sentence()} ${unreadable}`
  }

  /** A browser posts a file, even if its document has changed, and may report it. */
  async #post(form: Form): Promise<void> {
    const { random, queue, bucket, db, routed } = this.#world
    if (random.chance(0.8)) this.#forms = this.#forms.filter((other) => other !== form)
    if (queue.now > form.until) return
    bucket.files.set(form.key, form.content)
    if (form.document.file) form.document.file.isPosted = true
    const isReported = random.chance(0.9)
    this.log.push(`post ${form.document.id.slice(-4)}${isReported ? '' : ', unreported'}`)
    if (!isReported) return
    const { organizationId, agentId } = form.tenant
    const scope = { organizationId, agentId, documentId: form.document.id } as DocumentScope
    const process = new Process('dashboard', () => reportFile({ db, queue: routed }, scope, {}))
    await this.#drive(process, 1, () => {})
    const error = process.ended && 'error' in process.ended ? process.ended.error : undefined
    if (error && !(error instanceof Unavailable || error instanceof ApiError)) throw error
  }

  /** Asks for the document to be processed again. */
  async retry(organizationId: string, documentId: string): Promise<void> {
    const tenant = this.#world.tenants.find((each) => each.organizationId === organizationId)!
    const document = tenant.documents.find(({ id }) => id === documentId)!
    const path = `/v1/agents/${tenant.agentId}/knowledge-base/${documentId}`
    const body = { status: 'pending' } as const
    const decision = decidePatch(document, body, this.#world.queue.now)
    await this.#request(tenant, { app: 'documents', method: 'PATCH', path, body }, document, decision)
  }

  async #upload(tenant: Tenant, document: ModelDocument, path: string): Promise<void> {
    const { random, queue } = this.#world
    const first = random.below(4)
    const chunks = Array.from({ length: 1 + random.below(2) }, (_, i): ModelChunk => {
      return { chunk_index: first + i, content: `Uploaded ${this.#count++}`, isEmbedded: random.chance(0.6) }
    })
    const sent = chunks.map(({ isEmbedded, ...chunk }, i) => ({
      ...chunk,
      ...(isEmbedded && { embedding: axis(first + i) }),
    }))
    const body = { chunks: sent }
    const made: Made = { app: 'chunks', method: 'POST', path: `${path}/chunks`, body }
    await this.#request(tenant, made, document, decideUpload(document, chunks, queue.now), true)
  }

  /** The same request under the same key takes effect once, even if its first answer was lost, and not at all once the document is deleted. */
  async #repeat(): Promise<void> {
    const { random, queue } = this.#world
    const fresh = this.#remembered.filter(({ at, document }) => queue.now - at < 20 * 60 * 60 && document)
    if (fresh.length === 0) return
    const { tenant, made, document, answer } = random.pick(fresh)
    const result = await this.#run(tenant, made)
    if (result === 'unknown' || result.status === 503) return
    if (!tenant.documents.includes(document!)) {
      if (result.status === 404 && result.body.code === 'document_not_found') return
      throw new Error(`a repeat after DELETE was answered ${result.status} ${JSON.stringify(result.body)}`)
    }
    if (result.status !== 201) throw new Error(`a repeat was answered ${result.status} ${JSON.stringify(result.body)}`)
    if (result.headers.get('idempotency-replayed') !== 'true') throw new Error('a repeat was not told as one')
    if (answer && JSON.stringify(answer) !== JSON.stringify(result.body)) throw new Error('a repeat got another answer')
    if (made.app === 'documents' && (result.body as { id: string }).id !== document!.id)
      throw new Error('another document')
  }

  /** Sends a request that must be refused; the next check of the database shows that it changed nothing. */
  async #refused(tenant: Tenant, path: string): Promise<void> {
    const other = this.#world.tenants.find((each) => each !== tenant)!
    const [made, key, status]: [Made, Tenant, number] = this.#world.random.pick([
      [{ app: 'documents', method: 'PATCH', path, body: { content: 'stolen' } }, other, 404],
      [{ app: 'documents', method: 'DELETE', path }, other, 404],
      [{ app: 'chunks', method: 'DELETE', path: `${path}/chunks` }, other, 404],
      [{ app: 'documents', method: 'DELETE', path: path.replace(tenant.agentId, other.agentId) }, other, 404],
      [{ app: 'documents', method: 'PATCH', path, body: { content: ' ' } }, tenant, 422],
      [{ app: 'documents', method: 'PATCH', path, body: { status: 'processing' } }, tenant, 422],
    ] as [Made, Tenant, number][])
    const { queue, extractionQueue } = this.#world
    const sends = queue.sends + extractionQueue.sends
    const result = await this.#run(key, made)
    if (result === 'unknown' || result.status === 503) return
    if (result.status !== status)
      throw new Error(`${made.method} ${made.path} answered ${result.status}, not ${status}`)
    if (queue.sends + extractionQueue.sends !== sends) throw new Error('a refused request sent a message')
  }

  async #request(tenant: Tenant, made: Made, document: ModelDocument, decision: Decision, isIdempotent = false) {
    const request = isIdempotent
      ? { ...made, headers: { ...made.headers, 'idempotency-key': `key ${this.#count++}` } }
      : made
    const result = await this.#run(tenant, request, () => {
      decision.change?.(document)
      if (isIdempotent && decision.verdict.status === 201)
        this.#remembered.push({ tenant, made: request, at: this.#world.queue.now, document, answer: undefined })
    })
    if (result === 'unknown' || result.status === 503) return await this.#findId(tenant, document)
    if (result.status === 201 && made.app === 'documents') document.id = (result.body as { id: string }).id
    checkVerdict(made, result, decision.verdict)
    const etag = result.headers.get('etag')
    if (etag) document.tag = { etag, edits: document.edits }
    const remembered = this.#remembered.at(-1)
    if (remembered?.made === request) remembered.answer = result.body
  }

  /** Finds the id of a document that was created although the answer was lost. */
  async #findId(tenant: Tenant, document: ModelDocument) {
    if (document.id !== '' || !tenant.documents.includes(document)) return
    const row = await this.#world.db
      .selectFrom('documents')
      .select('id')
      .where('organization_id', '=', tenant.organizationId)
      .where('title', '=', document.title)
      .executeTakeFirst()
    if (!row) throw new Error('a committed document is not there')
    document.id = row.id
  }

  async #run(tenant: Tenant, { app, method, path, body, headers }: Made, onEffect: () => void = () => {}) {
    const type = body !== undefined && { 'content-type': 'application/json' }
    const init = {
      method,
      headers: { 'x-api-key': tenant.key, ...type, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    const process = new Process('request', async () => {
      const response = await this.#world[app].request(path, init)
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
    })
    const resultOf = () => (process.ended && 'value' in process.ended ? (process.ended.value as Result) : 'unknown')
    // A PATCH reads the document before it changes it, a restore the revision too; the others act with their one statement.
    const statements = path.endsWith('/restore') ? 3 : method === 'PATCH' ? 2 : 1
    const fates = await this.#drive(process, statements, () => {
      const result = resultOf()
      const isRefusal = result !== 'unknown' && result.status >= 400 && result.status !== 503
      if (!isRefusal) onEffect()
    })
    const result = resultOf()
    if (process.ended && 'error' in process.ended) throw process.ended.error
    this.log.push(
      `${method} ${path.slice(-45)} ${JSON.stringify(body)?.slice(0, 90) ?? ''} ${fates} → ${result === 'unknown' ? result : `${result.status} ${result.body?.code ?? ''}`}`,
    )
    return result
  }

  /** Runs the process to its end. @param onEffect is called if at least `statementsToEffect` statements took effect */
  async #drive(process: Process, statementsToEffect: number, onEffect: () => void): Promise<string[]> {
    const fates: string[] = []
    let statements = 0
    await process.settled()
    while (process.isRunning) {
      const point = process.points[0]!
      const fate = this.#fateOf(point.kind as 'sql' | 'send')
      fates.push(`${point.kind} ${fate}`)
      await point.pass(fate)
      if (point.kind === 'sql' && !fate.endsWith('before')) statements++
      await process.settled()
    }
    if (statements >= statementsToEffect) onEffect()
    return fates
  }

  #content(document: ModelDocument | undefined): string {
    const { random } = this.#world
    // The very text that was extracted from its file.
    if (document?.text && random.chance(0.3)) return document.text
    if (document?.content && random.chance(0.2)) return document.content
    if (document?.content && random.chance(0.3)) return `${document.content} ${this.#sentence()}`
    if (random.chance(0.4)) return `${sentence} variant ${random.pick(['A', 'B'])} of amber. ${sentence} birch wood. `
    const count = 1 + random.below(4)
    const text = Array.from({ length: count }, () => this.#sentence()).join(' ')
    return random.chance(0.12) ? `${text} This is ${poison} indeed.` : text
  }

  #sentence(): string {
    const { random } = this.#world
    return `${sentence} ${random.pick(words)} and ${random.pick(words)}.`
  }
}
