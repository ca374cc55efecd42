import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pagesPdf } from '../files/pdf-of.ts'
import { Random } from '../simulation/random.ts'
import { page, website } from '../sources/website.ts'
import { useFakeProvider } from '../support/provider/fake-provider.ts'
import { useStandProcesses } from '../support/stand/stand-process.ts'
import { pagesOf } from './audit.ts'
import { databases, killCount, passLeases, seed, tell } from './effort.ts'
import { type Answer, after, System } from './system.ts'

const provider = useFakeProvider()
const { home, start } = useStandProcesses()
const program = join(import.meta.dirname, '../../infra/admin/main.ts')
const kills = Math.max(8, killCount)
const filesInFolder = 24
const pages = 12

interface Listed {
  id: string
  title: string
  status: string
  content: string | null
  external_id: string | null
  source_type: string
}

/** A request that a client repeats under its key until it gets an answer. */
interface Sent {
  path: string
  body: object
  key: string
  answer?: Answer
}

/** Webhook ids by the document of their events. */
async function receiver(events: EventTarget) {
  const told = new Map<string, Set<string>>()
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        const { data } = JSON.parse(Buffer.concat(parts).toString())
        const ids = told.get(data.document_id) ?? new Set()
        told.set(data.document_id, ids.add(`${request.headers['webhook-id']}`))
        events.dispatchEvent(new Event('told'))
        response.writeHead(204).end()
      })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { told, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

const textOfPage = (i: number) => `Room ${i} of the inn has a bed for ${i} dogs, and costs ${20 + i} euros a night.`

const inn = () =>
  Object.fromEntries(
    Array.from({ length: pages }, (_, i) => {
      const links = Array.from({ length: pages }, (_, other) => `/room-${other}`)
      return [i === 0 ? '/' : `/room-${i}`, page(`Room ${i}`, textOfPage(i), ...links)]
    }),
  )

const pdf = (name: string) =>
  pagesPdf(
    Array.from({ length: 40 }, (_, i) => `BT /F 12 Tf 50 700 Td (${name} says on page ${i} what it costs.) Tj ET`),
  )

/** A folder that `sync` keeps an agent's documents equal to, in a process that is killed with the system. */
async function folderOf(system: System) {
  const root = await mkdtemp(join(tmpdir(), 'cuecard-folder-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const texts = new Map<string, string>()
  const write = async (name: string, text: string) => {
    texts.set(name, text)
    await writeFile(join(root, name), text)
  }
  let process_: ChildProcess | undefined
  const sync = () => {
    const { origin, apiKey, agentId } = system.agent
    const env = { ...process.env, BASE_URL: origin, API_KEY: apiKey, NODE_OPTIONS: '' }
    const args = [program, 'sync', root, '--agent', agentId, '--json']
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    process_ = child
    let output = ''
    child.stdout.on('data', (part) => (output += part))
    return once(child, 'close').then(([code]) => ({ code, counts: code === 0 ? JSON.parse(output) : undefined }))
  }
  for (let i = 0; i < filesInFolder; i++) await write(`file-${i}.md`, `File ${i} is as it was first.`)
  return {
    texts,
    write,
    remove: async (name: string) => {
      texts.delete(name)
      await rm(join(root, name))
    },
    sync,
    kill: () => process_?.kill('SIGKILL'),
  }
}

const listed = (system: System) => pagesOf<Listed>(system, '?limit=100')

describe.each(databases)('on the %s database', (name, server) => {
  test(`${kills} kills during batch, file, crawl, delivery and sync at once lose nothing answered and double nothing`, async () => {
    const random = new Random(seed)
    const env = { EMBEDDING_BASE_URL: provider.baseUrl, ALLOW_LOOPBACK: 'true' }
    const system = await System.create(await home({ server }), start, env)
    const note = (event: string) => system.events.dispatchEvent(new Event(event))
    provider.script([], () => {
      note('embedding')
      return 'ok'
    })
    const site = await website(inn())
    site.onRequest = async () => void note('page')
    const { told, url } = await receiver(system.events)
    await system.start()
    const folder = await folderOf(system)
    const sources = `/v1/agents/${system.agent.agentId}/sources`
    await system.call('POST', '/v1/webhooks', { url, events: ['document.completed'] })
    const other = await system.call('POST', '', { title: 'Other', content: 'Of no file.', external_id: 'other/a.md' })
    const source = `${sources}/${(await system.call('POST', sources, { url: `${site.url}/` }))!.body.id}`
    const sent: Sent[] = []
    const send = async (each: Sent) => {
      const answer = await system.call('POST', each.path, each.body, { 'idempotency-key': each.key })
      if (answer && answer.status < 300) each.answer = answer
      return each.answer
    }
    const begin = (path: string, body: object) => {
      const each: Sent = { path, body, key: `key ${sent.length}` }
      sent.push(each)
      return send(each)
    }
    const upload = async (file: string) => {
      const content = pdf(file)
      const announced = await begin('/files', { name: `${file}.pdf`, bytes: content.length, title: file })
      const form = new FormData()
      for (const [field, value] of Object.entries(announced!.body.upload.fields)) form.set(field, `${value}`)
      form.set('file', new Blob([content]))
      expect((await fetch(announced!.body.upload.url, { method: 'POST', body: form })).status).toBe(204)
      return () => system.call('POST', `/${announced!.body.document.id}/uploaded`)
    }
    const interrupted = { embeddings: 0, extractions: 0, crawls: 0, deliveries: 0, syncs: 0 }
    const known = new Map<string, string>()
    const figuresAt = async () => {
      const { rows } = await sql<Record<string, number>>`select
        (select count(*)::int from documents where status = 'processing' and source_type <> 'pdf') as embeddings,
        (select count(*)::int from documents where status = 'processing' and source_type = 'pdf') as extractions,
        (select count(*)::int from sources where lease_token is not null) as crawls,
        (select count(*)::int from webhook_deliveries where lease_token is not null) as deliveries`.execute(
        await system.database(),
      )
      for (const [kind, count] of Object.entries(rows[0]!)) interrupted[kind as 'crawls'] += count
    }

    for (let round = 0; round < kills; round++) {
      const saysUploaded = await upload(`Price list ${round}`)
      await folder.write(`file-${random.below(filesInFolder)}.md`, `This is of round ${round}.`)
      await folder.write(`new-${round}.md`, `A file of round ${round}.`)
      if (round > 1) await folder.remove(`new-${round - 2}.md`)
      const syncing = folder.sync()
      const documents = Array.from({ length: 20 }, (_, i) => ({
        title: `Article ${round}.${i}`,
        content: `Article ${round}.${i} costs ${i} euros.`,
      }))
      const work = Promise.all([
        begin('/batch', { documents }),
        system.call('POST', `${source}/refresh`),
        saysUploaded(),
      ])
      const moment = random.weighed({ page: 2, embedding: 2, told: 2, answered: 2 })
      await Promise.race([after(system.events, moment, 1 + random.below(4)), delay(15_000)])
      await delay(random.below(600))
      folder.kill()
      const [, { code }] = [await system.kill(), await syncing]
      if (code === null) interrupted.syncs++
      await work
      await system.start()
      await figuresAt()
      for (const { external_id, id } of await listed(system)) {
        if (!external_id?.startsWith('files/')) continue
        expect(known.get(external_id) ?? id).toBe(id)
        known.set(external_id, id)
      }
      await passLeases(await system.database())
    }

    await system.stop()
    await system.start()
    for (const each of sent) while (!(await send(each))) await delay(200)
    expect((await folder.sync()).code).toBe(0)
    const isAtRest = async () => {
      const pending = (await listed(system)).filter(({ status }) => /pending|processing/.test(status)).length
      const { rows } = await sql<{ left: number }>`select (select count(*)::int from webhook_deliveries
        where status = 'pending') + (select count(*)::int from sources where status <> 'ready') as left`.execute(
        await system.database(),
      )
      return pending + rows[0]!.left
    }
    await expect.poll(isAtRest, { timeout: 300_000, interval: 500 }).toBe(0)
    await system.call('POST', `${source}/refresh`)
    await expect.poll(isAtRest, { timeout: 300_000, interval: 500 }).toBe(0)

    const all = await listed(system)
    expect(all.filter(({ status }) => status !== 'completed')).toEqual([])
    const by = (key: 'title' | 'external_id', begins: string) => all.filter((each) => each[key]?.startsWith(begins))
    const answered = sent.flatMap(({ answer }) => answer!.body.data ?? [answer!.body.document])
    const articles = answered.filter(({ title }) => title.startsWith('Article'))
    const sorted = (key: 'id' | 'title', documents: { id: string; title: string }[]) =>
      documents.map((each) => each[key]).toSorted()
    expect(sorted('id', by('title', 'Article'))).toEqual(sorted('id', articles))
    const lists = Array.from({ length: kills }, (_, round) => `Price list ${round}`)
    expect(sorted('title', by('title', 'Price list'))).toEqual(lists.toSorted())
    const chunks = await Promise.all(
      by('title', 'Price list').map(({ id }) => system.call('GET', `/${id}?include=text`)),
    )
    for (const chunk of chunks) expect(chunk!.body.text).toContain('page 39')
    const inFolder = by('external_id', 'files/').map(({ external_id, content }) => [external_id, content])
    expect(inFolder.toSorted()).toEqual([...folder.texts].map(([file, text]) => [`files/${file}`, text]).toSorted())
    expect((await folder.sync()).counts).toMatchObject({
      unchanged: folder.texts.size,
      created: 0,
      updated: 0,
      deleted: 0,
    })
    for (const [file, id] of known) {
      const kept = folder.texts.has(file.slice('files/'.length)) ? id : undefined
      expect(all.find(({ external_id }) => external_id === file)?.id).toBe(kept)
    }
    expect(by('title', 'Other').map(({ id }) => id)).toEqual([other!.body.id])
    const crawled = by('external_id', site.url).map(({ external_id, content }) => [external_id, content])
    expect(crawled).toHaveLength(pages)
    expect(new Set(crawled.map(([address]) => address)).size).toBe(pages)
    const untold = all.filter(({ id }) => !told.has(id))
    expect(untold).toEqual([])
    // No client edits them, so each is completed once.
    for (const { id } of [...by('title', 'Article'), ...by('title', 'Price list')]) expect(told.get(id)!.size).toBe(1)
    tell(`kills of everything on the ${name} database`, {
      seed,
      kills,
      documents: all.length,
      events: told.size,
      ...interrupted,
    })
    expect(await system.stop()).toBe(0)
  }, 3_600_000)
})
