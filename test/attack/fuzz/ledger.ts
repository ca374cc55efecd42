import type { Answer } from '../../support/stand/stand.ts'
import type { Sent } from './send.ts'
import { documentNames, named, type Who, type World } from './world.ts'

interface Known {
  owner: Who
  agentId: string
  isDeleted: boolean
}

/** Records the owner of every document, including those that requests make. */
export class Ledger {
  readonly world: World
  readonly #documents = new Map<string, Known>()
  readonly #goldenQuestions = new Map<string, Known>()
  readonly #sources = new Map<string, Known>()
  /** Tenants with a deleted webhook. */
  readonly #withoutWebhook = new Set<Who>()
  /** Cursors and entity tags of answers to either tenant. */
  readonly #said: Record<'cursor' | 'etag', string[]> = { cursor: [], etag: [] }

  constructor(world: World) {
    this.world = world
    for (const owner of ['A', 'B'] as const) {
      const { names } = world[owner]
      const add = (name: string, agent: string, isDeleted = false) =>
        this.#documents.set(names[name]!, { owner, agentId: names[agent]!, isDeleted })
      for (const name of documentNames) add(name, 'agent')
      add('nephew', 'sibling')
      add('deleted', 'agent', true)
      for (const [name, agent] of [
        ['golden', 'agent'],
        ['nephewGolden', 'sibling'],
      ] as const)
        this.#goldenQuestions.set(names[name]!, { owner, agentId: names[agent]!, isDeleted: false })
      for (const [name, agent] of [
        ['source', 'agent'],
        ['nephewSource', 'sibling'],
      ] as const)
        this.#sources.set(names[name]!, { owner, agentId: names[agent]!, isDeleted: false })
    }
  }

  get documents(): [string, Known][] {
    return [...this.#documents]
  }

  /** True if a path names something that the sender owns. */
  leadsToOwn({ request: { operation, who }, ids }: Sent): boolean {
    const { names } = this.world[who]
    if (operation.path.includes('{webhookId}')) {
      const isDelivery = !operation.path.includes('{deliveryId}') || ids.deliveryId?.toLowerCase() === names.delivery
      return ids.webhookId?.toLowerCase() === names.webhook && !this.#withoutWebhook.has(who) && isDelivery
    }
    const agentId = ids.agentId?.toLowerCase()
    if (operation.path.includes('{agentId}') && agentId !== names.agent && agentId !== names.sibling) return false
    const known = this.#namedBy(operation.path, ids)
    return known === null || (known?.owner === who && known.agentId === agentId && !known.isDeleted)
  }

  /** Null if the path names only an agent. */
  #namedBy(path: string, { documentId = '', goldenQuestionId = '', sourceId = '' }: Record<string, string>) {
    if (path.includes('{documentId}')) return this.#documents.get(documentId.toLowerCase())
    if (path.includes('{goldenQuestionId}')) return this.#goldenQuestions.get(goldenQuestionId.toLowerCase())
    if (path.includes('{sourceId}')) return this.#sources.get(sourceId.toLowerCase())
    return null
  }

  /** A mark or id of the other organization in an answer, unless the request had it. */
  leakTo(who: Who, said: string, asked: string): string | undefined {
    const owner = who === 'A' ? 'B' : 'A'
    const fixed = Object.entries(this.world[owner].names).filter(([name]) => !name.startsWith('etag'))
    const made = this.documents.filter(([, known]) => known.owner === owner)
    const secrets = [...fixed.map(([, value]) => value), ...made.map(([id]) => id)].map((secret) =>
      secret.toLowerCase(),
    )
    const [answer, request] = [said.toLowerCase(), asked.toLowerCase()]
    return secrets.find((secret) => answer.includes(secret) && !request.includes(secret))
  }

  /** Fills in names, including those from earlier answers: `<seen.3>`, `<cursor.0>`, `<etag.2>`. */
  name(who: Who, text: string): string {
    const { agent, etagCompleted, documentsCursor } = this.world[who].names
    const seen = { ...this.#said, seen: this.documents.map(([id]) => id) }
    const fallback = { seen: agent!, cursor: documentsCursor!, etag: etagCompleted! }
    const filled = text.replaceAll(/<(seen|cursor|etag)\.(\d+)>/g, (_, kind: keyof typeof seen, place: string) => {
      const all = seen[kind]
      return all[Number(place) % all.length] ?? fallback[kind]
    })
    return named(this.world, who, filled)
  }

  record({ request: { operation, who }, ids }: Sent, { status, headers, body }: Answer): void {
    if (headers.etag) this.#said.etag.push(headers.etag)
    if (body?.next_cursor) this.#said.cursor.push(body.next_cursor)
    if (/^(createDocuments?|putDocument)$/.test(operation.id) && status === 201)
      for (const { id, agent_id } of body.data ?? [body])
        this.#documents.set(id, { owner: who, agentId: agent_id, isDeleted: false })
    if (operation.id === 'deleteWebhook' && status === 204) this.#withoutWebhook.add(who)
    const known = this.#namedBy(operation.path, ids)
    if (/^delete(Document|GoldenQuestion|Source)$/.test(operation.id) && status === 204 && known) known.isDeleted = true
  }
}
