import { section } from '../data/texts.ts'
import { vectorsOf } from '../data/vectors.ts'
import { LeftOut, ours, type Part } from '../part.ts'
import { type Agent, type Cuecard, openCuecard } from '../stage/cuecard.ts'
import { truncate } from '../stage/tables.ts'
import { openWal, type Wal } from '../stage/wal.ts'

const chunks = 457

export const wal: Part = {
  name: 'wal',
  title: `Write-ahead log of a document of ${chunks} chunks`,
  async *run({ isQuick, server }) {
    if (!server.isNative) throw new LeftOut('left out: needs a server')
    const cuecard = await openCuecard(server)
    try {
      const log = await openWal(cuecard.database)
      const vectors = await vectorsOf('clustered', 1, chunks)
      cuecard.prepare((topic) => vectors.of(topic))
      const works = { 'first load': [] as Wal[], 'one edited word': [] as Wal[], 'every chunk rewritten': [] as Wal[] }
      for (let round = 0; round < (isQuick ? 1 : 3); round++) {
        await truncate(cuecard.database)
        const agent = await cuecard.agent(await cuecard.organization())
        let id = ''
        works['first load'].push(
          await log.of(async () => {
            id = await create(cuecard, agent, contentOf(1))
          }),
        )
        const edited = contentOf(1).replace(`## Topic 200\n\n`, '## Topic 200\n\nIndeed ')
        works['one edited word'].push(await log.of(() => update(cuecard, agent, id, edited)))
        works['every chunk rewritten'].push(await log.of(() => update(cuecard, agent, id, contentOf(2))))
      }
      const remark = log.isExact
        ? 'Without full-page images, which the first change of a page after a checkpoint adds; each work comes after one.'
        : 'Of the whole server, with full-page images after a checkpoint: the extension pg_walinspect is missing.'
      const changes = ({ bytes, pageImages }: Wal) => bytes - pageImages
      for (const [work, each] of Object.entries(works))
        yield { work, unit: 'kB', better: 'less', samples: { [ours]: each.map((wal) => changes(wal) / 1000) }, remark }
      const shares = (of: (wal: Wal) => number) => ({
        [ours]: works['one edited word'].map((wal, i) => (100 * of(wal)) / of(works['first load'][i]!)),
      })
      const share = { unit: '%', better: 'less' } as const
      yield { ...share, work: 'one edited word, of the first load', goal: { atMost: 10 }, samples: shares(changes) }
      if (log.isExact)
        yield {
          ...share,
          work: 'the same with full-page images',
          samples: shares(({ bytes }) => bytes),
        }
    } finally {
      await cuecard.close()
    }
  },
}

function contentOf(seed: number): string {
  return Array.from({ length: chunks }, (_, n) => section(seed, n)).join('\n\n')
}

async function create(cuecard: Cuecard, agent: Agent, content: string): Promise<string> {
  const created = await cuecard.createDocument(
    cuecard.event('POST', agent.path, agent.key, { title: 'Bench', content }),
  )
  await cuecard.work()
  return JSON.parse(created).id
}

async function update(cuecard: Cuecard, agent: Agent, id: string, content: string): Promise<void> {
  await cuecard.updateDocument(cuecard.event('PATCH', `${agent.path}/${id}`, agent.key, { content }))
  await cuecard.work()
  const { status, chunk_count } = JSON.parse(await cuecard.readDocument(agent, id))
  if (status !== 'completed' || chunk_count !== chunks)
    throw new Error(`the edited document is ${status}, of ${chunk_count} chunks`)
}
