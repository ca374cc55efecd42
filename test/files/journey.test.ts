import { expect, test } from 'vitest'
import { reportFile } from '../../shared/documents/client/file-document.ts'
import { maxFileBytes } from '../../shared/files/file-types.ts'
import { configuredPresigner } from '../../shared/files/presigner.ts'
import { configuredSender } from '../../shared/work/sqs-queue.ts'
import { createFile, type TestFile } from '../support/documents/files.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()

const text = '# Prices\n\nA day with the bike costs 20 euros.'

/** Posts the file like a browser. @returns the status */
async function post({ key, scope }: TestFile, content: string): Promise<number> {
  const { url, fields } = configuredPresigner().presignPost(key, maxFileBytes)
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([content]))
  const { status } = await fetch(url, { method: 'POST', body: form })
  const queue = configuredSender('embedding', 'extraction')
  await reportFile({ db: stand.db, queue }, scope, {}).catch(() => {})
  return status
}

const download = ({ key }: TestFile) => fetch(configuredPresigner().presignGet(key, 'prices.md'))

test('a posted file is found by its text, and deleted with its document', async () => {
  const tenant = await stand.tenant()
  const file = await createFile(stand, tenant, { fileName: 'Preise & mehr (2026).md' })
  expect(await post(file, text)).toBe(204)
  await stand.deliver('extraction')
  await stand.deliver()
  const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'what does a bike cost a day' })
  expect(body.data).toMatchObject([{ document_id: file.id, content: expect.stringContaining('20 euros') }])
  expect(await (await download(file)).text()).toBe(text)

  expect((await tenant.call('DELETE', file.path)).status).toBe(204)
  await stand.sweep()
  expect((await download(file)).status).toBe(404)
})

test('a file is extracted again on request; one that its form has overwritten is not, and search serves the old text', async () => {
  const tenant = await stand.tenant()
  const file = await createFile(stand, tenant)
  const retried = async () => {
    await tenant.call('PATCH', file.path, { status: 'pending' })
    await stand.deliver('extraction')
    await stand.deliver()
    return (await tenant.call('GET', file.path)).body
  }
  await post(file, 'Old prices.')
  await stand.deliver('extraction')
  await stand.deliver()
  expect(await retried()).toMatchObject({ status: 'completed' })
  await post(file, 'New prices.')
  expect(await retried()).toMatchObject({ status: 'error', error_message: expect.stringContaining('was overwritten') })
  const { body } = await tenant.call('GET', `${file.path}/chunks`)
  expect(body.data).toMatchObject([{ content: 'Old prices.' }])
  const search = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query: 'prices' })
  expect(search.body.data).toMatchObject([{ content: 'Old prices.' }])
  await post(file, 'Old prices.')
  expect(await retried()).toMatchObject({ status: 'completed' })
})
