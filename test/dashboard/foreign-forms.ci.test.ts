import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId, type OrganizationId } from '../../shared/ids.ts'
import { invite } from '../../shared/organizations/people.ts'
import { storeQuestions } from '../support/documents/asked-questions.ts'
import { hiddenIn } from './document-rows.ts'
import { fill, type Ids, makeHeld, makeThings, publicRoutes, rowsOf, screenRoutes } from './routes.ts'
import { type FormFields, type SignedIn, signInAsPerson, useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()

/** @property edits the version of the document that is a text */
type Subject = SignedIn & { ids: Ids; edits: string; questionId: string; person?: { id: string; mail: string } }

/** A form that our own page sends, and what it needs besides `makeThings`. */
interface Sent {
  fields?: (subject: Subject) => FormFields | Promise<FormFields>
  /** The document that the path names. */
  about?: 'fileId' | 'heldId'
  /** Columns to set on that document first. */
  columns?: string
  /** Set if an owner sends it rather than the holder of a key. */
  isOwner?: true
  /** Makes what the form also needs. @returns the query of the path, if it has one */
  prepare?: (subject: Subject) => Promise<Record<string, string> | undefined>
}
const settings = { refresh_hours: '48', include: '', exclude: '' }
const on = { fields: () => ({ on: 'true' }) }
const golden = (question: string) => ({
  fields: () => ({ question, expected: 'nothing', words: '', within: '3', on_failure: 'warn' }),
})
const edits = (more: object = {}) => ({ fields: ({ edits }: Subject) => ({ edits, ...more }) })
const announced = { fields: () => ({ name: 'menu.pdf', bytes: '5' }) }

const documents = '/dashboard/agents/:agentId/documents'
const agent = '/dashboard/agents/:agentId'
const owner = { isOwner: true } as const
const forms: Record<string, Sent> = {
  '/dashboard/sign-in/mail': { fields: () => ({ mail: 'ann@example.com' }) },
  '/dashboard/sign-in/link': {
    ...owner,
    async prepare({ browser, person }) {
      await browser.post('/dashboard/sign-in/mail', { mail: person!.mail })
    },
    fields: () => ({ token: /token=([\w-]+)/.exec(stand.emulator.mails.at(-1)!.text)![1]! }),
  },
  '/dashboard/invitation': {
    async prepare({ organizationId, ids }) {
      const mail = `${organizationId}@example.com`
      const made = await invite(stand.db, organizationId as OrganizationId, { mail, role: 'viewer', by: ids.personId })
      return { token: made.outcome === 'invited' ? made.token : '' }
    },
  },
  '/dashboard/organizations': { ...owner, fields: ({ organizationId }) => ({ organization: organizationId }) },
  '/dashboard/connect': {
    ...owner,
    async prepare({ agentId }) {
      const [client_id, redirect_uri] = [newId(), 'https://app.example/callback']
      await sql`insert into oauth_clients (id, name, redirect_uris)
        values (${client_id}, 'App', ${[redirect_uri]})`.execute(stand.db)
      const resource = `https://app.example.com/v1/agents/${agentId}/connect/mcp`
      const pkce = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
      return { client_id, redirect_uri, response_type: 'code', resource, ...pkce }
    },
    fields: () => ({ decision: 'allow' }),
  },
  '/dashboard/settings/apps/:connectionId/end': {
    ...owner,
    async prepare({ ids, person }) {
      await sql`update connections set person_id = ${person!.id} where id = ${ids.connectionId}`.execute(stand.db)
    },
  },
  '/dashboard/settings/people/new': { ...owner, fields: () => ({ mail: 'ben@example.com', role: 'editor' }) },
  '/dashboard/settings/people/:personId': { ...owner, fields: () => ({ role: 'editor' }) },
  '/dashboard/settings/people/:personId/remove': owner,
  '/dashboard/settings/people/:personId/withdraw': {
    ...owner,
    async prepare({ organizationId, ids }) {
      await sql`insert into invitations (organization_id, id, mail, role, token_hash, expires_at)
        values (${organizationId}, ${ids.personId}, 'cem@example.com', 'viewer', '',
          now() + interval '1 day')`.execute(stand.db)
    },
  },
  '/dashboard/sign-in': { fields: ({ apiKey }) => ({ key: apiKey }) },
  '/dashboard/sign-out': {},
  [`${documents}/selected`]: {
    fields: ({ ids, edits }) => ({ action: 'delete', document: `${ids.documentId}.${edits}` }),
  },
  [`${documents}/files`]: announced,
  [`${documents}/:documentId/file`]: {
    ...announced,
    about: 'fileId',
    columns: `status = 'error', error_message = 'It broke.'`,
  },
  [`${documents}/:documentId/uploaded`]: { about: 'fileId' },
  [`${documents}/:documentId/replace`]: { ...edits(), about: 'heldId' },
  [`${documents}/:documentId/keep`]: { about: 'heldId' },
  [`${documents}/new`]: { fields: () => ({ title: 'Pets', content: 'Dogs may stay.', from: '', until: '' }) },
  [`${documents}/closed`]: { fields: () => ({ from: '2999-12-24', open: 'closed' }) },
  [`${documents}/:documentId/edit`]: edits({ title: 'Hours', content: 'Closed.', from: '', until: '' }),
  [`${documents}/:documentId/history/:revision/restore`]: edits(),
  [`${documents}/:documentId/retry`]: { columns: `status = 'error', error_message = 'It broke.'` },
  [`${documents}/:documentId/warnings/:goldenQuestionId/dismiss`]: {},
  [`${documents}/:documentId/update-checks`]: {
    fields: ({ ids, edits }) => ({ edits, checks: ids.goldenQuestionId }),
  },
  [`${documents}/:documentId/keep-old`]: edits({ old: '7' }),
  [`${documents}/:documentId/corrections/drop`]: {
    ...edits({ index: '0' }),
    columns: `corrections = '[{"before":"a","after":"b"}]'`,
  },
  [`${documents}/:documentId/delete`]: edits(),
  '/dashboard/agents/new': { fields: () => ({ name: 'Night desk' }) },
  [`${agent}/edit`]: { fields: () => ({ name: 'Day desk' }) },
  [`${agent}/delete`]: { fields: () => ({ confirm: 'Agent' }) },
  [`${agent}/sources/new`]: { fields: () => ({ url: 'https://shop.example/', kind: 'site', ...settings }) },
  [`${agent}/sources/:sourceId/refresh`]: {},
  [`${agent}/sources/:sourceId/follow`]: { fields: () => ({ address: 'https://paws-inn.example/basket' }) },
  [`${agent}/sources/:sourceId/edit`]: { fields: () => settings },
  [`${agent}/sources/:sourceId/delete`]: {},
  [`${agent}/trash/restore`]: { fields: ({ ids }) => ({ what: `document.${ids.trashedId}` }) },
  [`${agent}/trash/delete`]: { fields: ({ ids }) => ({ what: `document.${ids.trashedId}` }) },
  [`${agent}/questions/wrong`]: { fields: ({ questionId }) => ({ ids: questionId, wrong: 'true' }) },
  [`${agent}/questions/delete`]: { fields: ({ questionId }) => ({ ids: questionId }) },
  [`${agent}/questions/clear`]: {},
  [`${agent}/golden-questions/run`]: {},
  [`${agent}/golden-questions/new`]: golden('Is there a pool?'),
  [`${agent}/golden-questions/:goldenQuestionId/edit`]: golden('Is there a sauna?'),
  [`${agent}/golden-questions/:goldenQuestionId/delete`]: {},
  '/dashboard/calls/:callId/restore': {},
  '/dashboard/calls/:callId/delete': {},
  '/dashboard/settings/auto-delete': on,
  '/dashboard/settings/revisions': { fields: () => ({ on: 'false' }) },
  '/dashboard/settings/question-log': on,
  '/dashboard/settings/viewers-questions': on,
  '/dashboard/settings/keys/new': {
    async fields({ browser }) {
      const { html } = await browser.get('/dashboard/settings/keys/new')
      return { id: hiddenIn(html, 'id'), name: 'Vapi', permissions: 'kb:read', days: '30' }
    },
  },
  '/dashboard/settings/keys/:keyId/revoke': {},
}

test('this list has every form', () => {
  const posts = screenRoutes.filter(({ method }) => method === 'POST').map(({ path }) => path)
  const open = publicRoutes.filter((route) => route.startsWith('POST ')).map((route) => route.slice('POST '.length))
  expect(Object.keys(forms).toSorted()).toEqual([...posts, ...open].toSorted())
})

/** Headers of requests from another page or an unknown origin. */
const elsewhere: Record<string, string>[] = [
  {},
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://app.example.com' },
  { origin: 'https://app.example.com.evil.example', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
  { 'sec-fetch-site': 'cross-site', 'content-type': '' },
  { origin: 'https://evil.example', 'content-type': 'multipart/form-data; boundary=x' },
]

async function makeSubject({ about, columns, isOwner }: Sent): Promise<Subject> {
  const tenant = await signedIn()
  const things = await makeThings(stand.db, tenant)
  const { body } = await tenant.call('POST', tenant.knowledgeBase, { title: 'Hours', content: 'We open at nine.' })
  await stand.deliver()
  const ids = { ...things, documentId: body.id as string }
  const [questionId] = await storeQuestions(stand, tenant, { question: 'Is there a pool?' })
  const heldId = await makeHeld(stand.db, tenant, ids.documentId)
  await sql`insert into document_revisions (organization_id, document_id, revision, text_revision, agent_id, title, content, created_at)
    values (${tenant.organizationId}, ${ids.documentId}, 7, 7, ${tenant.agentId}, 'Hours', 'We open at ten.',
      now())`.execute(stand.db)
  await sql`update documents set warnings = ${JSON.stringify([{ golden_question_id: ids.goldenQuestionId }])}::jsonb
    where id = ${ids.documentId}`.execute(stand.db)
  const documentId = { text: ids.documentId, fileId: things.documentId, heldId }[about ?? 'text']
  if (columns) await sql`update documents set ${sql.raw(columns)} where id = ${documentId}`.execute(stand.db)
  const { rows } = await sql<{ edits: number }>`select edits from documents
    where id = ${ids.documentId}`.execute(stand.db)
  const edits = `${rows[0]!.edits}`
  const made = { ...tenant, ids: { ...ids, documentId, revision: '7' }, edits, questionId: questionId! }
  return isOwner ? { ...made, person: await signInAsPerson(tenant.browser, stand.db, tenant.organizationId) } : made
}

describe.each(Object.entries(forms))('the form %s', (path, sent) => {
  test('changes something if our own page sends it, and nothing if another does', async () => {
    const subject = await makeSubject(sent)
    const { browser, organizationId } = subject
    const query = new URLSearchParams((await sent.prepare?.(subject)) ?? {})
    const fields = await sent.fields?.(subject)
    const url = `${fill(path, subject.ids)}?${query}`
    const before = await rowsOf(stand.db, organizationId)
    const cookies = [...browser.jar]
    for (const headers of elsewhere) {
      const { status, text } = await browser.post(url, fields, headers)
      expect([status, text], JSON.stringify(headers)).toEqual([
        403,
        expect.stringContaining('This request didn’t come from Cuecard'),
      ])
    }
    expect((await browser.post(url, fields, { 'content-type': 'application/json' })).status).toBe(400)
    expect(await rowsOf(stand.db, organizationId)).toBe(before)
    expect([...browser.jar]).toEqual(cookies)

    const { status, text } = await browser.post(url, fields)
    expect([200, 201, 204, 303], text).toContain(status)
    expect(await rowsOf(stand.db, organizationId), text).not.toBe(before)
  })
})
