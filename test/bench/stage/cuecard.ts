import { neonConfig } from '@neondatabase/serverless'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context, SQSEvent } from 'aws-lambda'
import { documentsApp } from '../../../functions/documents/app.ts'
import { callLimits } from '../../../functions/embedding/batches.ts'
import { consumer } from '../../../functions/embedding/consumer.ts'
import { searchApp } from '../../../functions/search/app.ts'
import { snapshotApp } from '../../../functions/snapshot/app.ts'
import { createAgent } from '../../../infra/admin/agents.ts'
import { createKey } from '../../../infra/admin/keys.ts'
import { createOrganization } from '../../../infra/admin/organizations.ts'
import { toEvent } from '../../../infra/local/gateway/event.ts'
import { startGateway } from '../../../infra/local/gateway/gateway.ts'
import { urlOfRole } from '../../../infra/postgres-url.ts'
import { type DatabaseUser, lambdas, queues } from '../../../infra/wiring.ts'
import { semaphore } from '../../../shared/concurrency/semaphore.ts'
import { Database } from '../../../shared/database/database.ts'
import type { Embedder } from '../../../shared/embedding/embedder.ts'
import { lambdaHandler } from '../../../shared/http/api.ts'
import type { OrganizationId } from '../../../shared/ids.ts'
import { permissions } from '../../../shared/organizations/permissions.ts'
import { bodyOf } from '../../../shared/work/message.ts'
import type { Queue } from '../../../shared/work/outbox.ts'
import { unlimit } from '../../support/stand/tenant.ts'
import { unusedPresigner } from '../../support/stand/unused-presigner.ts'
import { topicOf } from '../data/texts.ts'
import type { OurDatabase, Server } from './server.ts'

export interface Organization {
  id: OrganizationId
  key: string
}

export interface Agent extends Organization {
  agentId: string
  /** Path of its documents. */
  path: string
}

/** The text of a chunk → its vector, at no cost, because no contestant should pay for the provider. */
type VectorOf = (topic: number) => Float32Array

export type Cuecard = Awaited<ReturnType<typeof openCuecard>>

// Several databases at once, each behind the port of its own endpoint.
neonConfig.fetchEndpoint = (host, port) => `http://${host}:${port}/sql`

/** Our Lambdas' handlers on a database of their own, called with events, each as its own role; with no embedder, on prepared vectors. */
export async function openCuecard(server: Server, givenEmbedder?: Embedder) {
  const database: OurDatabase = await server.forOurs()
  const owner = new Database({ url: () => database.url, timeoutSeconds: 600 })
  const as = (role: DatabaseUser, at = database.url) => {
    const url = urlOfRole(at, `cuecard_${role}`)
    const isRepeatable = role === 'embedding' || role === 'search' || role === 'snapshot'
    return new Database({ url: () => url, timeoutSeconds: 60, isRepeatable })
  }
  const messages: string[] = []
  const queue: Queue = {
    send: async (work) => void messages.push(bodyOf(work)),
    changeVisibility: async () => {},
  }
  let vectorOf: VectorOf = () => {
    throw new Error('no vectors are prepared')
  }
  const embedder = givenEmbedder ?? {
    model: 'bench',
    embed: (texts: string[]) => Promise.resolve(texts.map((text) => vectorOf(topicOf(text)))),
  }
  const crawler = { db: as('crawler'), queue: { ...queue, send: async () => {} }, embeddingQueue: queue }
  const documents = lambdaHandler(documentsApp({ presigner: unusedPresigner, db: as('documents'), queue }))
  const search = lambdaHandler(searchApp({ db: as('search'), embedder }))
  const embedding = consumer({
    db: as('embedding'),
    queue,
    embedder,
    chunkSize: { targetTokens: 400, overlapTokens: 60 },
    callLimits,
    semaphore: semaphore(4),
  })

  /** Delivers all queued messages, in batches like the event source's. */
  async function work(): Promise<void> {
    while (messages.length > 0) {
      const bodies = messages.splice(0, queues.embedding.batchSize)
      const Records = bodies.map((body, i) => ({ messageId: `${i}`, receiptHandle: `${i}`, body }))
      const { batchItemFailures } = await embedding({ Records } as unknown as SQSEvent, {
        getRemainingTimeInMillis: () => 110_000,
      })
      if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} documents failed`)
    }
  }

  async function post(handler: typeof documents, event: APIGatewayProxyEventV2, status: number): Promise<string> {
    const result: APIGatewayProxyStructuredResultV2 = await handler(event, {} as Context)
    if (result.statusCode !== status) throw new Error(`${result.statusCode} ${result.body?.slice(0, 500)}`)
    return result.body!
  }

  return {
    database,
    owner,
    work,
    prepare(vectors: VectorOf): void {
      vectorOf = vectors
    },

    async organization(): Promise<Organization> {
      const { id } = await createOrganization(owner, 'Bench')
      await unlimit(owner, id)
      const { key } = await createKey(owner, { organizationId: id, name: 'bench', permissions: [...permissions] })
      return { id, key }
    },

    async agent(organization: Organization, place: { time_zone?: string; holidays?: string } = {}): Promise<Agent> {
      const { id } = await createAgent(owner, organization.id, 'Agent', place)
      return { ...organization, agentId: id, path: `/v1/agents/${id}/knowledge-base` }
    },

    crawler,
    event: toRequest,
    /** Takes all queued messages, for the caller's own embedding Lambda. */
    takeMessages: () => messages.splice(0),

    documents: (event: APIGatewayProxyEventV2, status: number) => post(documents, event, status),
    createDocument: (event: APIGatewayProxyEventV2) => post(documents, event, 201),
    readDocument: (agent: Agent, id: string) =>
      post(documents, toRequest('GET', `${agent.path}/${id}`, agent.key, undefined), 200),
    search: (event: APIGatewayProxyEventV2) => post(search, event, 200),
    /** A search Lambda that reaches the database by another URL. */
    searchAt(url: string) {
      const handler = lambdaHandler(searchApp({ db: as('search', url), embedder }))
      return (event: APIGatewayProxyEventV2) => post(handler, event, 200)
    },

    /** The snapshot Lambda behind the local gateway. */
    serve() {
      const handler = lambdaHandler(snapshotApp({ db: as('snapshot') }))
      return startGateway({ port: 0, routes: lambdas.snapshot.routes.map((route) => ({ route, handler })) })
    },

    close: () => database.close(),
  }
}

/** One event of the HTTP API, as API Gateway makes it. */
function toRequest(method: string, path: string, key: string, body: unknown): APIGatewayProxyEventV2 {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  return toEvent({ method, url: path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }, [
    '$default',
  ])!
}

/** The texts that a search found. */
export function textsOf(body: string): string[] {
  return (JSON.parse(body) as { data: { content: string }[] }).data.map(({ content }) => content)
}
