import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { neonConfig } from '@neondatabase/serverless'
import { type RawBuilder, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Line } from '../../infra/admin/export/export.ts'
import { fromBase64 } from '../../shared/embedding/vectors.ts'
import { newId } from '../../shared/ids.ts'
import { axis } from '../support/provider/axis.ts'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { cuecard, cuecardJson } from '../support/tools/command-line.ts'

const stand = useStand()
const run = <Row>(statement: RawBuilder<Row>) => statement.execute(stand.db)

async function linesOf(organization: string, ...options: string[]): Promise<Line[]> {
  const { code, stdout, stderr } = await cuecard(['organization', 'export', organization, ...options])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const ofType = (lines: Line[], type: string) => lines.filter((line) => line.type === type)

/** Inserts documents of this many kilobytes without the API. @returns their ids, in order */
async function storeDocuments({ organizationId, agentId }: Tenant, kilobytes: number[]): Promise<string[]> {
  const ids = kilobytes.map(() => newId())
  await run(sql`insert into documents (organization_id, id, agent_id, title, content, content_hash, status, managed_by)
    select ${organizationId}, id, ${agentId}, 'T', repeat('x', kilobytes * 1024), '', 'pending', 'service'
    from unnest(${ids}::uuid[], ${kilobytes}::int[]) made (id, kilobytes)`)
  return ids
}

/** Resolves once all pages are read and no further one is requested, however long each takes. */
async function noMoreOf(pages: Promise<unknown>[]): Promise<void> {
  for (let turns = 0; turns < 100; turns++) {
    const { length } = pages
    await Promise.allSettled(pages)
    await turn()
    if (pages.length > length) turns = 0
  }
}

describe('an export', () => {
  test('has the documents and chunks that the API shows, and everything else of the organization', async () => {
    const { organizationId: organization, agentId: agent, knowledgeBase, call } = await stand.tenant()
    await call('POST', knowledgeBase, { title: 'Hours', content: '# Hours\n\nNine to six – “täglich”.\u2028\n' })
    await stand.deliver()
    const { body: edited } = await call('POST', knowledgeBase, { title: 'Edited', content: 'before' })
    await stand.deliver()
    await call('PATCH', `${knowledgeBase}/${edited.id}`, { content: 'after' })
    await stand.deliver()
    const { body: own } = await call('POST', knowledgeBase, { title: 'Own' })
    const chunk = { chunk_index: 0, content: 'A chunk of my own', embedding: axis(7), metadata: { page: 1 } }
    await call('POST', `${knowledgeBase}/${own.id}/chunks`, { chunks: [chunk, { chunk_index: 1, content: 'bare' }] })
    const callId = newId()
    await run(sql`insert into calls (organization_id, agent_id, id, done_at)
      values (${organization}, ${agent}, ${callId}, now())`)
    await sql`update organizations set log_questions = true where id = ${organization}`.execute(stand.db)
    await sql`insert into question_log (organization_id, agent_id, id, question, mode, is_degraded, hits, answerable, milliseconds)
      values (${organization}, ${agent}, ${newId()}, 'Where?', 'hybrid', false, '[]', 0, 0)`.execute(stand.db)
    const hook = await call('POST', '/v1/webhooks', { url: 'https://shop.example/', events: ['document.failed'] })
    await call('POST', `${hook.headers.location}/test`)
    await cuecard(['agent', 'retell-secret', agent], { stdin: 'key_0123456789abcdef' })
    await cuecard(['person', 'add', '--organization', organization, '--mail', `${organization}@example.com`])

    const lines = await linesOf(organization)
    const { data: documents } = (await call('GET', knowledgeBase)).body
    const expected = documents.toReversed().map(({ id, title, content, status, source_type, ...more }: Line) => ({
      type: 'document',
      agent_id: agent,
      id,
      title,
      content,
      status,
      source_type,
      created_at: more.created_at,
      updated_at: more.updated_at,
    }))
    expect(ofType(lines, 'document')).toMatchObject(expected)
    const chunks = []
    for (const { id } of documents.toReversed())
      chunks.push(...(await call('GET', `${knowledgeBase}/${id}/chunks`)).body.data)
    expect(ofType(lines, 'chunk')).toMatchObject(chunks)
    expect(ofType(lines, 'chunk').map(({ is_served }) => is_served)).toEqual([true, true, false, false])

    const exported_at = expect.any(String)
    expect(lines[0]).toEqual({ type: 'export', format: 1, organization_id: organization, exported_at })
    expect(lines[1]).toMatchObject({ type: 'organization', id: organization, name: 'Test', keep_revisions: true })
    const revision = { document_id: edited.id, revision: 1, title: 'Edited', content: 'before' }
    expect(ofType(lines, 'document_revision')).toMatchObject([revision])
    expect(ofType(lines, 'agent')).toMatchObject([
      { id: agent, name: 'Agent', time_zone: null, holidays: null, knowledge_base_enabled: true },
    ])
    expect(ofType(lines, 'person')).toMatchObject([{ mail: `${organization}@example.com`, role: 'owner' }])
    expect(ofType(lines, 'api_key')).toMatchObject([{ name: 'test', permissions: expect.any(Array), revoked_at: null }])
    expect(ofType(lines, 'signing_secret')).toMatchObject([{ agent_id: agent, platform: 'retell' }])
    expect(ofType(lines, 'call')).toMatchObject([{ id: callId, agent_id: agent, done_at: expect.any(String) }])
    expect(ofType(lines, 'question')).toMatchObject([{ agent_id: agent, question: 'Where?', hits: [] }])
    const counts = {
      agent: 1,
      api_key: 1,
      person: 1,
      connection: 0,
      signing_secret: 1,
      document: 3,
      document_revision: 1,
      chunk: chunks.length,
      source: 0,
      source_page: 0,
      call: 1,
      golden_question: 0,
      webhook: 1,
      webhook_delivery: 1,
      question: 1,
    }
    expect(ofType(lines, 'webhook')).toMatchObject([{ url: 'https://shop.example/', status: 'enabled' }])
    expect(lines.at(-1)).toEqual({ type: 'end', counts })
    expect(JSON.stringify(lines)).not.toMatch(/hash|cursor_key|key_0123|whsec|"embedding"/)
  })

  test('has embeddings on request, as the API gives them in base64', async () => {
    const { organizationId: organization, knowledgeBase, call } = await stand.tenant()
    const { body: own } = await call('POST', knowledgeBase, { title: 'Own' })
    const embedded = { chunk_index: 0, content: 'with', embedding: axis(7) }
    await call('POST', `${knowledgeBase}/${own.id}/chunks`, { chunks: [embedded, { chunk_index: 1, content: 'bare' }] })
    const [first, second] = ofType(await linesOf(organization, '--embeddings'), 'chunk')
    expect(second!.embedding).toBe(null)
    const decoded = fromBase64(String(first!.embedding))
    expect('vector' in decoded && [...decoded.vector]).toEqual(axis(7))
  })

  test('has all of many large documents, in the order of their ids, each once', async () => {
    const tenant = await stand.tenant()
    const { organizationId: organization, agentId: agent } = tenant
    const ids = await storeDocuments(tenant, [3000, 1000, 1000, 2500, 1, 4000, 100])
    await sql`insert into calls (organization_id, agent_id, id)
      select ${organization}, ${agent}, gen_random_uuid() from generate_series(1, 2500)`.execute(stand.db)
    const lines = await linesOf(organization)
    expect(ofType(lines, 'document').map(({ id }) => id)).toEqual(ids)
    expect(new Set(ofType(lines, 'call').map(({ id }) => id)).size).toBe(2500)
    expect(lines.at(-1)).toMatchObject({ counts: { document: 7, call: 2500 } })
  })

  test('has all of 500 golden questions, which together exceed what the database sends at once', async () => {
    const { organizationId: organization, agentId: agent } = await stand.tenant()
    await run(sql`insert into golden_questions (organization_id, agent_id, id, question, words, within, on_failure, model,
        embedding)
      select ${organization}, ${agent}, gen_random_uuid(), repeat('🐣', 8000), 'x', 3, 'warn', 'm',
        array_fill(1, array[1536])::vector::halfvec from generate_series(1, 500)`)
    const ids = ofType(await linesOf(organization), 'golden_question').map(({ id }) => id)
    expect([ids.length, new Set(ids).size]).toEqual([500, 500])
  })

  test('reads ahead of a slow reader by no more than two pages', async () => {
    const tenant = await stand.tenant()
    const documents = 6
    await storeDocuments(tenant, Array(documents).fill(3900))
    const pages: Promise<Response>[] = []
    neonConfig.fetchFunction = (url: string, init: RequestInit) => {
      const answer = fetch(url, init).then(async (response) => new Response(await response.text(), response))
      if (String(init.body).includes('octet_length(extracted_text)')) pages.push(answer)
      return answer
    }
    const ahead: number[] = []
    const stdout = new Writable({
      async write(text: Buffer, _, done) {
        if (text.includes('"type":"document"')) {
          await noMoreOf(pages)
          ahead.push(pages.length - ahead.length - 1)
        }
        done()
      },
    })
    const { code } = await cuecard(['organization', 'export', tenant.organizationId], { stdout }).finally(() => {
      neonConfig.fetchFunction = undefined
    })
    expect(code).toBe(0)
    expect(ahead).toHaveLength(documents)
    expect(ahead[0]).toBeGreaterThanOrEqual(1)
    expect(Math.max(...ahead)).toBeLessThanOrEqual(2)
  })

  test('that is interrupted has no last line, and fails', async () => {
    const { organizationId: organization, agentId: agent } = await stand.tenant()
    await sql`insert into calls (organization_id, agent_id, id)
      select ${organization}, ${agent}, gen_random_uuid() from generate_series(1, 1500)`.execute(stand.db)
    const controller = new AbortController()
    const printed: string[] = []
    const stdout = new Writable({
      write(text: Buffer, _, done) {
        printed.push(text.toString())
        if (text.includes('"type":"call"')) controller.abort()
        done()
      },
    })
    const { signal } = controller
    const { code, stderr } = await cuecard(['organization', 'export', organization], { stdout, signal })
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: interrupted: the printed export is incomplete\n' })
    expect(printed.join('')).toContain('"type":"call"')
    expect(printed.join('')).not.toContain('"type":"end"')
  })

  test('of an organization that does not exist prints nothing; each leaves a row in the record of actions', async () => {
    const { organizationId: organization } = await stand.tenant()
    const stranger = newId()
    const refused = { code: 1, stdout: '', stderr: `error: no such organization: ${stranger}\n` }
    expect(await cuecard(['organization', 'export', stranger])).toEqual(refused)
    await linesOf(organization)
    for (const [id, outcome] of Object.entries({ [organization]: 'done', [stranger]: 'failed' }))
      expect((await cuecardJson('audit', 'list', '--organization', id)).data).toMatchObject([
        { command: 'organization export', organization_id: id, outcome },
      ])
  })
})
