import { chunk } from '../../shared/chunking/chunker.ts'
import { strayRows } from '../support/database/stray-rows.ts'
import { type Entry, type Ledger, markOf } from './ledger.ts'
import type { System } from './system.ts'

interface Listed {
  id: string
  title: string
  status: string
  content: string | null
}
interface ListedChunk {
  chunk_index: number
  content: string
}

const chunkSize = { targetTokens: 40, overlapTokens: 0 }

/** Compares the clients' answers with an idle system. @returns the differences, in words */
export async function audit(system: System, ledger: Ledger): Promise<string[]> {
  const faults = [...ledger.violations]
  const listed = await pagesOf<Listed>(system, '')
  for (const { id, title } of listed) {
    const known = ledger.entries.find((entry) => entry.id === id)
    if (!known) faults.push(`${title} (${id}) is there, and no client has made it`)
  }
  for (const entry of ledger.acknowledged) {
    const stored = listed.find(({ id }) => id === entry.id)
    const problems = stored ? await faultsOf(system, entry, stored) : faultOfMissing(entry)
    faults.push(...problems.map((problem) => `${entry.title}: ${problem}`))
  }
  for (const { fault, document_id } of await strayRows(await system.database())) faults.push(`${fault}: ${document_id}`)
  return faults
}

/** Documents that the system still works on. */
export async function inWork(system: System, { entries }: Ledger): Promise<number> {
  const listed = await pagesOf<Listed>(system, '?exclude=content&limit=100')
  const ofClients = new Set(entries.filter(({ managedBy }) => managedBy === 'client').map(({ title }) => title))
  return listed.filter(({ status, title }) => /^(pending|processing)$/.test(status) && !ofClients.has(title)).length
}

function faultOfMissing({ deletion }: Entry): string[] {
  return deletion ? [] : ['it was acknowledged, and is lost']
}

async function faultsOf(system: System, entry: Entry, stored: Listed): Promise<string[]> {
  if (entry.deletion === 'acknowledged') return ['its deletion was acknowledged, and it is there']
  const faults: string[] = []
  const expect = (isSo: boolean, otherwise: string) => void (isSo || faults.push(otherwise))
  const { title, managedBy, contents, batches } = entry
  const isEmpty = managedBy === 'client' && batches.length === 0
  expect(stored.title === title, `its title is ${stored.title}`)
  expect(stored.status === (isEmpty ? 'pending' : 'completed'), `it is ${stored.status}`)
  const chunks = await pagesOf<ListedChunk>(system, `/${entry.id}/chunks`)
  const asStored = JSON.stringify(chunks.map(({ chunk_index, content }) => [chunk_index, content]))
  if (managedBy === 'client') {
    const uploaded = batches.flatMap(({ chunks }) => chunks.map(({ chunk_index, content }) => [chunk_index, content]))
    expect(asStored === JSON.stringify(uploaded), 'its chunks are not those that were uploaded')
    return faults
  }
  const text = stored.content ?? ''
  const edit = contents.indexOf(text)
  expect(edit >= 0, 'its content is none that a client has sent and not replaced')
  const planned = chunk(text, chunkSize).map(({ chunk_index, content }) => [chunk_index, content])
  expect(asStored === JSON.stringify(planned), 'its chunks are not those of its content')
  const own = /edit(\d+)end/.exec(text)?.[1]
  const found = await search(system, entry.id!, markOf(title, Number(own)))
  expect(found.length > 0, 'search does not find it')
  const isOld = found.some(({ content }) => !content.includes(markOf(title, Number(own))))
  expect(!isOld, 'search finds an older revision of it')
  return faults
}

async function search(system: System, id: string, query: string): Promise<ListedChunk[]> {
  const answer = await system.call('POST', '/search', { query, mode: 'keyword', limit: 10, document_ids: [id] })
  return answer?.status === 200 ? answer.body.data : []
}

/** All items of a list of documents, or of a list below it. */
export async function pagesOf<Item>(system: System, path: string): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const next: string = cursor ? `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}` : ''
    const answer = await system.call('GET', `${path}${next}`)
    if (answer?.status !== 200) throw new Error(`${path} responded with ${answer?.status}`)
    items.push(...answer.body.data)
    cursor = answer.body.next_cursor
  } while (cursor)
  return items
}
