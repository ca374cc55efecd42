import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createAgent } from '../../infra/admin/agents.ts'
import type { OrganizationId } from '../../shared/ids.ts'
import { levels } from '../../shared/retrieval/answerable.ts'
import { buffersOf, nodesOf, plansOf, useStatementPlans } from '../support/database/statement-plans.ts'
import { keptQuestions, storeQuestions } from '../support/documents/asked-questions.ts'
import { serve } from './document-rows.ts'
import { callScreen, keepingOn, questionsPath as path, questionsScreen as screen } from './kept-questions.ts'
import { linkIn, linksIn, plain, type SignedIn, useDashboard } from './support.ts'

const dashboard = useDashboard()
const { stand } = dashboard
const { batchesOf } = useStatementPlans()

const keeping = () => keepingOn(dashboard)

/** A hit as the log keeps it. */
const hitOf = (document_id: string, chunk_index = 0) =>
  JSON.stringify([{ document_id, revision: 1, chunk_index, score: 0.7 }])

const stored = (owner: SignedIn, title: string, content: string) => serve(stand, owner, title, content)

/** Stores questions that nothing answered. */
const askedFor = (owner: SignedIn, ...questions: string[]) =>
  storeQuestions(stand, owner, ...questions.map((question) => ({ question })))

const rowOf = (html: string, question: string) =>
  html.split(/<li id="asked-|<\/li>/).find((row) => plain(row).includes(`>“${question}”</a>`)) ?? ''
const shownIn = (html: string) => [...html.matchAll(/<a href="[^"]*">“([^”]*)”<\/a>/g)].map(([, question]) => question)

/** The address of a row's action and the fields that it sends. */
function formOf(html: string, question: string, action: 'wrong' | 'delete') {
  const row = rowOf(html, question)
  const [, address = ''] = new RegExp(`action="([^"]*/${action}\\b[^"]*)"`).exec(row)!
  const fields = [...row.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!])
  return [plain(address), Object.fromEntries(fields) as Record<string, string>] as const
}

const all = { show: 'all' }
const codes = Array.from({ length: 60 }, (_, i) => `do you have K-${4000 + i}`)

describe('the list', () => {
  test('groups similar questions of 30 days before it pages them, the group with the newest first', async () => {
    const owner = await keeping()
    const repeats = Array.from({ length: 199 }, () => ({ question: 'um do you guys sell cars please', daysAgo: 3 }))
    await storeQuestions(stand, owner, { question: 'of last month', daysAgo: 31 }, ...repeats)
    await askedFor(owner, ...codes, 'do you sell cars')
    const first = await screen(owner)
    expect(first.status).toBe(200)
    expect(first.text).toContain('Open 61 Answered since 0 All')
    expect(first.text).toMatch(
      /“um do you guys sell cars please” Nothing found Also “do you sell cars” Asked 200 times, last just now/,
    )
    const second = await owner.browser.get(linkIn(first.html, 'Older questions'))
    const shown = [...shownIn(first.html), ...shownIn(second.html)]
    expect(shown).toEqual(['um do you guys sell cars please', ...codes.toReversed()])
    expect(shownIn(second.html)).toHaveLength(11)
    expect(linkIn(second.html, 'Newest questions')).toBe(path(owner))
    expect(second.html).not.toContain('Older questions')
  })

  test('shows the answer to each at that time: the value that was given, or the best sentence', async () => {
    const owner = await keeping()
    const hours = await stored(owner, 'Hours', '# Opening hours\n\nWe bake from six. On Sunday we are closed.')
    const menu = await stored(owner, 'Menu', '| Pizza | Small | Large |\n|---|---|---|\n| Diavola | £9.20 | £14.20 |')
    const hits = [hours, menu].map((id) => ({ ...JSON.parse(hitOf(id))[0], chunk_id: id }))
    // Another value than the question would have today.
    const value = { text: '£9.20', row: ['Diavola'], column: ['Small'], chunk_id: menu, confidence: 0.9 }
    const given = { status: 'found' as const, hits: JSON.stringify(hits) }
    await storeQuestions(stand, owner, { question: 'how much is a large diavola', ...given, value })
    await storeQuestions(stand, owner, { question: 'are you open on sunday', ...given })
    await owner.call('PATCH', `${owner.knowledgeBase}/${menu}`, { content: 'We sell no pizza any more.' })
    await stand.deliver()
    const { text } = await screen(owner, all)
    expect(text).toContain('Small, Diavola: £9.20 From Menu , whose text has changed since')
    expect(text).toMatch(/On Sunday we are closed\. From Hours Asked/)
    await owner.call('DELETE', `${owner.knowledgeBase}/${hours}`)
    expect((await screen(owner, all)).text).toContain('“are you open on sunday” Answered From a deleted document')
  })

  test('shows the sentence about the day that the question meant, in the words of its call’s page', async () => {
    const owner = await keeping()
    const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
    const sentenceOf = (day: string, i: number) =>
      `On ${day} we are open from ${6 + i} o’clock until late in the evening, with lunch.`
    const hours = await stored(owner, 'Hours', days.map(sentenceOf).join(' '))
    const asked = { question: 'open today', status: 'found' as const, hits: hitOf(hours), call_id: 'call' }
    await storeQuestions(stand, owner, { ...asked, daysAgo: 2 })
    const day = (new Date(Date.now() - 2 * 86_400_000).getUTCDay() + 6) % 7
    const said = sentenceOf(days[day]!, day)
    expect((await screen(owner, all)).text).toContain(`${said} From Hours`)
    expect((await callScreen(owner, 'call')).text).toContain(said)
  })

  test('shows open questions, those answered since, or all', async () => {
    const owner = await keeping()
    const hits = hitOf(owner.agentId)
    const asked = levels.map((status) => ({ question: status, status, hits }))
    const [id] = await storeQuestions(stand, owner, { question: 'wrong', status: 'found', hits }, ...asked)
    await owner.browser.post(`${path(owner)}/wrong`, { ids: id!, wrong: 'true' })
    const shown = async (show: string) => shownIn((await screen(owner, { show })).html)
    expect(await shown('open')).toEqual(['nothing', 'uncertain', 'wrong'])
    expect(await shown('since')).toEqual([])
    expect(await shown('all')).toEqual(['nothing', 'uncertain', 'found', 'wrong'])
  })

  test('offers first the action for a question’s state, and others in a menu', async () => {
    const owner = await keeping()
    const id = await stored(owner, 'Hours', 'On Sunday we are closed.')
    const [nothing, uncertain, found] = ['do you sell "cars" & boats?', 'open on Monday', 'open on Sunday']
    for (const [question, status] of [
      [nothing, 'nothing'],
      [uncertain, 'uncertain'],
      [found, 'found'],
    ] as const)
      await storeQuestions(stand, owner, { question, status, hits: hitOf(id), call_id: 'call 1' })
    const { html } = await screen(owner, all)
    const agent = `/dashboard/agents/${owner.agentId}`
    const call = [expect.anything(), `${agent}/call?id=call+1`]
    const add = (question: string) => [
      'Add an answer',
      `${agent}/documents/new?${new URLSearchParams({ question, from: 'questions' })}`,
    ]
    const correct = (question: string) => [
      'Correct it',
      expect.stringContaining(`${agent}/documents/${id}/edit?${new URLSearchParams({ question })}&at=20`),
    ]
    const text = ['Hours', `${agent}/documents/${id}?passage=1#passage-1`]
    const ask = ['Ask again', expect.anything()]
    expect(linksIn(rowOf(html, found))).toEqual([call, text, correct(found), add(found), ask])
    expect(linksIn(rowOf(html, uncertain))).toEqual([call, text, add(uncertain), ask])
    const ofNothing = linksIn(rowOf(html, nothing))
    expect(ofNothing).toEqual([call, add(nothing), ask])
    const firstOf = (question: string) => rowOf(html, question).split('class="menu"')[0]
    expect(firstOf(found)).not.toContain('Correct it')
    expect(firstOf(uncertain)).toMatch(/Add an answer(?!.*Correct it)/s)
    expect((await owner.browser.get(ofNothing[1]![1])).html).toContain('value="Boats"')
    expect(plain((await owner.browser.get(ofNothing[2]![1])).html)).toContain(`value="${nothing}"`)
  })
})

describe('a question without a good answer', () => {
  const states = async (owner: SignedIn) => {
    const since = (await screen(owner, { show: 'since' })).html
    return [shownIn((await screen(owner)).html), shownIn(since)]
  }

  test('leaves the open ones once an added text answers it, and returns if that is deleted', async () => {
    const owner = await keeping()
    await stored(owner, 'Parking', 'Guests park free of charge in the courtyard.')
    await askedFor(owner, 'can my parrot come')
    await storeQuestions(stand, owner, { question: 'do you sell cars', status: 'uncertain' })
    expect(await states(owner)).toEqual([['do you sell cars', 'can my parrot come'], []])
    const add = linkIn(rowOf((await screen(owner)).html, 'can my parrot come'), 'Add an answer')
    const content = 'Your parrot can come with you: parrots live free of charge in our rooms.'
    const saved = await owner.browser.submit(add, { title: 'Birds', content })
    expect(saved.text).toContain('“Birds” was saved. Its question leaves this list once the text is ready.')
    await stand.deliver()
    const [birds] = (await owner.call('GET', owner.knowledgeBase)).body.data
    expect(await states(owner)).toEqual([['do you sell cars'], ['can my parrot come']])
    const { text } = await screen(owner, { show: 'since' })
    expect(text).toMatch(
      /Open 1 Answered since 1 All .*“can my parrot come” Answered since a change Your parrot can come.* From Birds/,
    )
    await owner.call('DELETE', `${owner.knowledgeBase}/${birds.id}`)
    expect(await states(owner)).toEqual([['do you sell cars', 'can my parrot come'], []])
  })

  test('stays open while what is found leaves out one of its words, and opens again once its answer is marked as wrong', async () => {
    const owner = await keeping()
    const question = 'what does a massage of the feet cost'
    await askedFor(owner, question)
    await stored(owner, 'Massage', 'A massage costs 80 euros, whatever else you want.')
    const asked = await owner.call('POST', `${owner.knowledgeBase}/search`, { query: question })
    expect(asked.body.status).toBe('found')
    expect(await states(owner)).toEqual([[question], []])
    await stored(owner, 'Feet', 'A massage of the feet costs 60 euros.')
    expect(await states(owner)).toEqual([[], [question]])
    const { html } = await screen(owner, { show: 'since' })
    await owner.browser.submit(...formOf(html, question, 'wrong'))
    expect(await states(owner)).toEqual([[question], []])
  })

  test('is closed by a check that expects no answer', async () => {
    const owner = await keeping()
    await askedFor(owner, 'Can my parrot come', 'do you sell cars')
    const checks = `/dashboard/agents/${owner.agentId}/golden-questions`
    await owner.browser.submit(checks, { question: 'can my parrot come' })
    await stored(owner, 'Rooms', 'A room costs 80 euros.')
    expect(await states(owner)).toEqual([['do you sell cars'], ['Can my parrot come']])
    expect((await screen(owner, { show: 'since' })).text).toContain('“Can my parrot come” Kept as a check')
  })

  test('that was marked wrong stays open while it would get the same answer', async () => {
    const owner = await keeping()
    const rooms = await stored(owner, 'Rooms', 'A room costs 80 euros.')
    await owner.call('POST', `${owner.knowledgeBase}/search`, { query: 'what does a room cost' })
    const [asked] = await keptQuestions(stand, owner)
    await owner.browser.post(`${path(owner)}/wrong`, { ids: asked!.id, wrong: 'true' })
    await stored(owner, 'Parking', 'Guests park behind the house.')
    expect(await states(owner)).toEqual([['what does a room cost'], []])
    await owner.call('PATCH', `${owner.knowledgeBase}/${rooms}`, { content: 'A room costs 90 euros.' })
    await stand.deliver()
    expect(await states(owner)).toEqual([[], ['what does a room cost']])
    expect((await screen(owner)).text).toContain('No open questions')
  })

  test('is asked again once a change, 50 a page', async () => {
    const owner = await keeping()
    await askedFor(owner, ...codes)
    const unasked = async () =>
      (await keptQuestions(stand, owner)).filter(({ asked_again_version }) => asked_again_version === null).length
    await screen(owner)
    expect(await unasked()).toBeGreaterThanOrEqual(10)
    // A page asks for a limited time, too.
    for (let left = 60; left > 0; left--) if ((await unasked()) > 0) await screen(owner)
    expect(await unasked()).toBe(0)
  })
})

test('says when saving paused, after 200 questions of the organization in an hour', async () => {
  const owner = await keeping()
  const asked = Array.from({ length: 200 }, () => ({ question: 'cars', daysAgo: 1 }))
  const [first] = await storeQuestions(stand, owner, ...asked)
  expect((await screen(owner)).text).toMatch(/Saving paused on .* UTC for the rest of that hour, because 200 questions/)
  await owner.browser.post(`${path(owner)}/delete`, { ids: first! })
  expect((await screen(owner)).text).not.toContain('Saving paused')
})

describe('a group', () => {
  test('is marked wrong with one tap, is unmarked with another, and returns to the same list', async () => {
    const owner = await keeping()
    const asked = { status: 'found' as const, hits: hitOf(owner.agentId) }
    await storeQuestions(stand, owner, ...['cars', 'um cars', 'parrots'].map((question) => ({ question, ...asked })))
    const marked = async () =>
      (await keptQuestions(stand, owner)).filter(({ is_wrong }) => is_wrong).map(({ question }) => question)
    const [address, fields] = formOf((await screen(owner, all)).html, 'um cars', 'wrong')
    expect((await owner.browser.post(address, fields)).headers.location).toMatch(/\/questions\?show=all#asked-/)
    expect(await marked()).toEqual(['cars', 'um cars'])
    const { html, text } = await screen(owner)
    expect(text).toContain('“um cars” Marked wrong')
    expect(rowOf(html, 'um cars')).toContain('aria-pressed="true"')
    const [again, unmark] = formOf(html, 'um cars', 'wrong')
    expect((await owner.browser.submit(again, unmark)).text).toContain('No longer marked as wrong.')
    expect(await marked()).toEqual([])
  })

  test('is deleted as the page showed it, and later questions stay', async () => {
    const owner = await keeping()
    await askedFor(owner, 'do you sell cars', 'do you sell cars please', 'parrots')
    const { html } = await screen(owner)
    await askedFor(owner, 'um do you sell cars')
    const form = formOf(html, 'do you sell cars please', 'delete')
    expect((await owner.browser.submit(...form)).text).toContain('2 questions were deleted.')
    const left = (await keptQuestions(stand, owner)).map(({ question }) => question)
    expect(left).toEqual(['parrots', 'um do you sell cars'])
    expect((await owner.browser.submit(...form)).text).toContain('0 questions were deleted.')
  })

  test('of another organization, or of ids that no page has sent, is neither marked nor deleted', async () => {
    const [owner, other] = [await keeping(), await keeping()]
    const [ids = ''] = await askedFor(other, 'theirs')
    for (const invalid of ['', 'x', 'a,a'])
      expect((await owner.browser.post(`${path(owner)}/delete`, { ids: invalid })).status).toBe(400)
    for (const where of [path(owner), path(other)])
      for (const action of ['wrong', 'delete']) await owner.browser.post(`${where}/${action}`, { ids, wrong: 'true' })
    expect(await keptQuestions(stand, other)).toMatchObject([{ is_wrong: false }])
  })

  test('is deleted with all others after a confirmation', async () => {
    const owner = await keeping()
    const second = await createAgent(stand.db, owner.organizationId as OrganizationId, 'Second')
    await storeQuestions(stand, owner, { question: 'low' }, { question: 'answered', status: 'found' })
    await storeQuestions(stand, { ...owner, agentId: second.id }, { question: 'of the second' })
    expect(shownIn((await screen(owner, all)).html)).toEqual(['answered', 'low'])
    expect((await screen(owner, all)).text).toContain('All questions of the last 30 days will be deleted.')
    expect(await keptQuestions(stand, owner)).toHaveLength(3)
    expect((await owner.browser.submit(`${path(owner)}/clear`)).text).toContain('2 questions were deleted.')
    expect((await keptQuestions(stand, owner)).map(({ question }) => question)).toEqual(['of the second'])
  })
})

test('of 20,000 logged questions their list reads 2,000, and the page of agents those of a week in the index', async () => {
  const owner = await keeping()
  const stored = sql`insert into question_log (organization_id, agent_id, id, question, mode, is_degraded, hits, answerable, status,
      milliseconds, asked_at)
    select ${owner.organizationId}, ${owner.agentId}, lpad(to_hex(n), 32, '0')::uuid, 'question ' || n, 'hybrid', false, '[]',
      0.5, case when n % 10 < 3 then 'uncertain' else 'found' end, 9, now() - (20000 - n) * interval '2 minutes'
      from generate_series(1, 20000) n`
  await stand.db.batch({ unlimited: sql`set local session_replication_role = replica`, stored })
  await stand.pool.query('vacuum analyze question_log')
  /** The scans of the log that a page makes. */
  const scansOf = async (open: () => Promise<unknown>) => {
    const batches = await batchesOf(open)
    const batch = batches.find(({ queries }) => queries.some(({ query }) => query.includes('from question_log q')))
    const nodes = (await plansOf(stand.pool, batch!, 'analyze, buffers,')).flatMap(nodesOf)
    return nodes.filter((node) => node['Relation Name'] === 'question_log')
  }
  const ofHome = await scansOf(() => owner.browser.get('/dashboard'))
  const index = { 'Node Type': 'Index Only Scan', 'Index Name': 'question_log_of_organization' }
  expect(ofHome).toMatchObject([index])
  expect(buffersOf(ofHome[0]!)).toBeLessThan(150)
  for (const query of [{}, all]) {
    const pages = (await scansOf(() => screen(owner, query))).map(buffersOf)
    expect(pages).toHaveLength(2)
    expect(Math.max(...pages), JSON.stringify(query)).toBeLessThan(400)
  }
  const before = `00000000-0000-0000-0000-${(18_002).toString(16).padStart(12, '0')}`
  const { html, text } = await screen(owner, { ...all, before })
  expect(text).toContain('Only the newest 2,000 questions are listed.')
  expect(shownIn(html)).toEqual(['question 18001'])
})
