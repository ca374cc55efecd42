import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { bundle } from '../../../infra/aws/bundles/bundle.ts'
import { heapLimits, nodeOptions } from '../../../infra/aws/functions.ts'
import { region } from '../../../infra/local/lambda.ts'
import { urlOfRole } from '../../../infra/postgres-url.ts'
import { lambdas } from '../../../infra/wiring.ts'
import { startAwsServices } from '../../support/aws/aws-services.ts'
import { type Reply, startInstance } from '../../support/aws/lambda-instance.ts'
import { listen } from '../../support/http/loopback.ts'
import { corpus } from '../data/texts.ts'
import { vectorsOf } from '../data/vectors.ts'
import { type Bench, ours, type Part } from '../part.ts'
import { isShort } from '../rounds.ts'
import { openCuecard } from '../stage/cuecard.ts'

/** A bundle here finds the AWS SDK, as in Lambda's runtime. */
const bundles = join(import.meta.dirname, '../../../node_modules/.cache/cuecard/bench-bundles')

export const start: Part = {
  name: 'cold-start',
  title: 'New Lambda instances, as bundled',
  async *run(bench) {
    const { agent, environment, cuecard, close } = await open(bench)
    try {
      const embedding = await bundled('embedding')
      const content = corpus((isShort ? 0.1 : 4) * 2 ** 20)
      const peaks = await times(3, async () => {
        const created = await cuecard.createDocument(
          cuecard.event('POST', agent.path, agent.key, { title: 'Bench', content }),
        )
        const Records = cuecard.takeMessages().map((body, i) => ({ messageId: `${i}`, receiptHandle: `${i}`, body }))
        const { peakBytes } = await firstCall(embedding, environment('embedding'), { Records })
        const { status } = JSON.parse(await cuecard.readDocument(agent, JSON.parse(created).id))
        if (status !== 'completed') throw new Error(`the document of 4 MiB is ${status}`)
        return peakBytes! / 2 ** 20
      })
      yield { work: 'embedding: a document of 4 MiB, peak', unit: 'MB', better: 'less', samples: { [ours]: peaks } }

      const documents = await bundled('documents')
      const empty = await cuecard.agent(await cuecard.organization())
      const event = cuecard.event('GET', empty.path, empty.key, undefined)
      const firsts = await times(11, async () => {
        const { result, milliseconds } = await firstCall(documents, environment('documents'), event)
        const { statusCode } = result as { statusCode: number }
        if (statusCode !== 200) throw new Error(`the first request of a new instance is answered ${statusCode}`)
        return milliseconds!
      })
      yield { work: 'documents: import and first request', unit: 'ms', better: 'less', samples: { [ours]: firsts } }
    } finally {
      await close()
    }
  },
}

const bundled = async (name: 'embedding' | 'documents') =>
  join((await bundle(name, join(bundles, name))).directory, 'handler.mjs')

async function firstCall(file: string, env: Record<string, string>, event: unknown): Promise<Reply> {
  const instance = await startInstance(file, env)
  const reply = await instance.call(event, 110)
  await instance.stop()
  return reply
}

async function open({ server }: Bench) {
  const cuecard = await openCuecard(server)
  const secrets = await startAwsServices()
  const provider = await startProvider()
  const agent = await cuecard.agent(await cuecard.organization())
  return {
    cuecard,
    agent,
    /** The environment that the template gives, with addresses on loopback. */
    environment(name: 'embedding' | 'documents'): Record<string, string> {
      const arn = `database-${name}`
      const url = new URL(urlOfRole(cuecard.database.url, `cuecard_${name}`))
      secrets.secrets.set(arn, url.href)
      return {
        NODE_OPTIONS: nodeOptions,
        ...(name === 'embedding' && heapLimits(lambdas.embedding.heap)),
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.origin,
        DATABASE_SECRET: arn,
        DATABASE_ENDPOINT: `http://127.0.0.1:${url.port}`,
        FILES_BUCKET: 'bench',
        QUEUE_URL: 'http://127.0.0.1:9/queue',
        EXTRACTION_QUEUE_URL: 'http://127.0.0.1:9/queue',
        EMBEDDING_BASE_URL: provider.origin,
        EMBEDDING_API_KEY: 'sk-bench',
        POWERTOOLS_LOG_LEVEL: 'SILENT',
      }
    },
    async close() {
      await provider.close()
      await secrets.close()
      await cuecard.close()
    },
  }
}

/** Responds at once, in base64 as our client asks for. */
async function startProvider() {
  const vectors = await vectorsOf('clustered', 1, 1000)
  const prepared = Array.from({ length: 1000 }, (_, i) => Buffer.from(vectors.of(i).buffer).toString('base64'))
  return await listen(async (request, response) => {
    const { input } = (await json(request)) as { input: string[] }
    const data = input.map((_, index) => ({ object: 'embedding', index, embedding: prepared[index % 1000] }))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ data, usage: { prompt_tokens: 1, total_tokens: 1 } }))
  })
}

async function times<Result>(count: number, act: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let i = 0; i < (isShort ? 1 : count); i++) results.push(await act())
  return results
}
