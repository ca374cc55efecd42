import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { bundle } from '../../../infra/aws/bundles/bundle.ts'
import { region } from '../../../infra/local/lambda.ts'
import { listen } from '../../support/loopback.ts'
import { startSecretsManager } from '../../support/secrets-manager.ts'
import { corpus } from '../data/texts.ts'
import { vectorsOf } from '../data/vectors.ts'
import { type Bench, ours, type Part } from '../part.ts'
import { openCuecard } from '../stage/cuecard.ts'
import { coldStart } from '../stage/instance.ts'

/** Where a bundle finds the AWS SDK, as in Lambda's runtime. */
const bundles = join(import.meta.dirname, '../../../node_modules/.cache/cuecard/bench-bundles')

export const start: Part = {
  name: 'cold-start',
  title: 'New Lambda instances, as bundled',
  async *run(bench) {
    const runs = bench.isQuick ? 3 : 11
    const system = await open(bench)
    const { agent, environment, cuecard } = system
    try {
      const embedding = join((await bundle('embedding', join(bundles, 'embedding'))).directory, 'handler.mjs')
      const imports = await times(runs, () => coldStart(embedding, environment('embedding')))
      const own = imports.map(({ loaded }) => loaded.own)
      yield { work: 'embedding: import', unit: 'ms', better: 'less', goal: { atMost: 80 }, samples: { [ours]: own } }

      const content = corpus(4 * 2 ** 20)
      const peaks = await times(bench.isQuick ? 1 : 3, async () => {
        const created = await cuecard.createDocument(
          cuecard.event('POST', agent.path, agent.key, { title: 'Bench', content }),
        )
        const Records = cuecard.takeMessages().map((body, i) => ({ messageId: `${i}`, receiptHandle: `${i}`, body }))
        const { answered } = await coldStart(embedding, environment('embedding'), { Records })
        const status = JSON.parse(await cuecard.readDocument(agent, JSON.parse(created).id)).status
        if (status !== 'completed') throw new Error(`the document of 4 MiB is ${status}`)
        return answered!.peak / 2 ** 20
      })
      yield {
        work: 'embedding: a document of 4 MiB, peak',
        unit: 'MB',
        better: 'less',
        goal: { atMost: 400 },
        samples: { [ours]: peaks },
      }

      const documents = join((await bundle('documents', join(bundles, 'documents'))).directory, 'handler.mjs')
      const empty = await cuecard.agent(await cuecard.organization())
      const event = cuecard.event('GET', empty.path, empty.key, undefined)
      const firsts = await times(runs, async () => {
        const { answered } = await coldStart(documents, environment('documents'), event)
        const { statusCode } = answered!.result as { statusCode: number }
        if (statusCode !== 200) throw new Error(`the first request of a new instance is answered ${statusCode}`)
        return answered!
      })
      const after = firsts.map((first) => first.own)
      yield {
        work: 'documents: first request, once loaded',
        unit: 'ms',
        better: 'less',
        goal: { atMost: 110 },
        samples: { [ours]: after },
      }
      const both = firsts.map(({ milliseconds }) => milliseconds)
      yield { work: 'documents: import and first request', unit: 'ms', better: 'less', samples: { [ours]: both } }
    } finally {
      await system.close()
    }
  },
}

async function open({ server }: Bench) {
  const cuecard = await openCuecard(server)
  const secrets = await startSecretsManager()
  const provider = await startProvider()
  const agent = await cuecard.agent(await cuecard.organization())
  return {
    cuecard,
    agent,
    /** The environment that the template gives, with addresses on loopback. */
    environment(name: 'embedding' | 'documents'): Record<string, string> {
      const arn = `database-${name}`
      const url = new URL(cuecard.database.url)
      url.username = `cuecard_${name}`
      secrets.values.set(arn, url.href)
      return {
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.origin,
        DATABASE_SECRET_ARN: arn,
        DATABASE_ENDPOINT: `http://127.0.0.1:${url.port}`,
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
  for (let i = 0; i < count; i++) results.push(await act())
  return results
}
