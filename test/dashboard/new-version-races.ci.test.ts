import { expect, test } from 'vitest'
import { get, listOf, pageOf } from './document-rows.ts'
import { formOf, found, keep, menu, useNewVersions } from './new-versions.ts'
import { upload } from './uploads.ts'

const { stand, held } = useNewVersions()

const answered = /Somebody has answered this already/

test('a replacement and its simultaneous repetition take effect once', async () => {
  const subject = await held()
  const replace = await formOf(subject)
  const texts = (await Promise.all([replace(), replace()])).map(({ text }) => text)
  expect(texts.filter((text) => text.includes('gets the new text'))).toHaveLength(1)
  expect(texts.filter((text) => answered.test(text))).toHaveLength(1)
  expect((await replace()).text).toMatch(answered)
  await stand.deliver()
  expect(await get(subject.tenant, subject.old)).toMatchObject({ status: 'completed' })
})

test('of simultaneous answers, either a replacement or keeping both takes effect, and nothing is lost', async () => {
  const subject = await held()
  const { tenant, old, id } = subject
  const replace = await formOf(subject)
  const texts = (await Promise.all([replace(), keep(subject)])).map(({ text }) => text)
  expect(texts.filter((text) => answered.test(text))).toHaveLength(1)
  await stand.deliver()
  const isKept = (await tenant.call('GET', `${tenant.knowledgeBase}/${id}`)).status === 200
  expect(await get(tenant, isKept ? id : old)).toMatchObject({ status: 'completed' })
  expect(await found(tenant, 'flat white')).toContainEqual(expect.stringContaining('€3.90'))
})

test('two versions of one document do not replace each other without being asked', async () => {
  const first = await held()
  const second = { ...first, id: await upload(stand, first.tenant, 'menu 2028.txt', menu('4.50')) }
  const forms = [await formOf(first), await formOf(second)]
  const texts = (await Promise.all(forms.map((replace) => replace()))).map(({ text }) => text)
  expect(texts.filter((text) => text.includes('gets the new text'))).toHaveLength(1)
  expect(texts.filter((text) => text.includes('somebody has changed this in the meantime'))).toHaveLength(1)
  await stand.deliver()
  const { text } = await first.tenant.browser.get(listOf(first.tenant))
  expect(text).toContain('Replace “menu”')
})

test('a replacement of a document that somebody has edited since asks again', async () => {
  const subject = await held()
  const { tenant, old, id } = subject
  const replace = await formOf(subject)
  await tenant.call('PATCH', `${tenant.knowledgeBase}/${old}`, { content: 'Closed for ever.' })
  expect((await replace()).text).toContain('Nothing was changed: somebody has changed this in the meantime.')
  expect(await get(tenant, old)).toMatchObject({ content: 'Closed for ever.' })
  expect(await get(tenant, id)).toMatchObject({ status: 'pending' })
  await (await formOf(subject))()
  await stand.deliver()
  expect(await get(tenant, old)).toMatchObject({ status: 'completed', content: null })
})

test('a simultaneous deletion of either document leaves the other served, with the right file', async () => {
  for (const which of ['old', 'id'] as const) {
    const subject = await held()
    const { tenant } = subject
    const replace = await formOf(subject)
    const deletion = tenant.call('DELETE', `${tenant.knowledgeBase}/${subject[which]}`)
    const [{ text }] = await Promise.all([replace(), deletion])
    await stand.sweep()
    await stand.deliver()
    const { data } = (await tenant.call('GET', tenant.knowledgeBase)).body
    expect(text).toMatch(/gets the new text|is kept|answered this already|no document|doesn’t exist/i)
    for (const { id, status } of data) {
      expect(status).toBe('completed')
      const { headers } = await tenant.browser.get(`${pageOf(tenant, id)}/file`)
      expect((await fetch(headers.location!)).status).toBe(200)
    }
  }
})
