import { expect } from 'vitest'
import type { TestStand } from '../support/stand/stand.ts'
import { listOf } from './document-rows.ts'
import type { SignedIn } from './support.ts'

export interface Upload {
  documentId: string
  url: string
  fields: Record<string, string>
}

export async function announce({ browser, agentId }: SignedIn, name: string, bytes: number | string) {
  const { status, headers, html } = await browser.post(`${listOf({ agentId })}/files`, { name, bytes: `${bytes}` })
  return { status, headers, body: JSON.parse(html) }
}

/** Posts an announced file as the browser does, and has its text read and embedded. */
export async function post(stand: TestStand, tenant: SignedIn, upload: Upload, name: string, content: string) {
  const { documentId, url, fields } = upload
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append('file', new Blob([content]), name)
  const { status } = await fetch(url, { method: 'POST', body: form })
  expect(status).toBeLessThan(300)
  expect(await tenant.browser.post(`${listOf(tenant)}/${documentId}/uploaded`, {})).toMatchObject({ status: 204 })
  await stand.deliver('extraction')
  await stand.deliver()
}

/** Uploads a file as the browser does, and has it processed. @returns its document's id */
export async function upload(stand: TestStand, tenant: SignedIn, name: string, content: string): Promise<string> {
  const { body } = await announce(tenant, name, Buffer.byteLength(content))
  await post(stand, tenant, body, name, content)
  return body.documentId
}
