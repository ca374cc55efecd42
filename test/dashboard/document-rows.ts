import { sql } from 'kysely'
import type { TestStand } from '../support/stand/stand.ts'
import { plain, type SignedIn } from './support.ts'

/** Path of the agent's documents. */
export const listOf = ({ agentId }: { agentId: string }) => `/dashboard/agents/${agentId}/documents`

/** Makes a document over the API; without content it waits for passages. @returns its id */
export async function write({ call, knowledgeBase }: SignedIn, title: string, content?: string): Promise<string> {
  const { body } = await call('POST', knowledgeBase, { title, ...(content !== undefined && { content }) })
  return body.id
}

/** Makes a document over the API, and has it embedded. @returns its id */
export async function serve(stand: TestStand, tenant: SignedIn, title: string, content?: string): Promise<string> {
  const id = await write(tenant, title, content)
  await stand.deliver()
  return id
}

/** The path of a document's page. */
export const pageOf = (tenant: { agentId: string }, id: string) => `${listOf(tenant)}/${id}`

/** The document as the API shows it. */
export const get = async ({ call, knowledgeBase }: SignedIn, id: string) =>
  (await call('GET', `${knowledgeBase}/${id}`)).body

/** The agent's checks as the API shows them. */
export const checksOf = async ({ call, agentId }: SignedIn) =>
  (await call('GET', `/v1/agents/${agentId}/golden-questions`)).body.data

/** The state that a worker would leave a document in: columns as in `update … set`. */
export async function setColumns({ db }: TestStand, id: string, columns: string): Promise<void> {
  await sql`update documents set ${sql.raw(columns)} where id = ${id}`.execute(db)
}

export const inProcess = `status = 'processing', lease_token = gen_random_uuid(), lease_expires_at = now() + interval '1 minute'`

/** Titles of a list's rows, in order. */
export function titlesIn(html: string): string[] {
  return [...html.matchAll(/<p class="name"><a href="[^"]+\/documents\/[^"]+">([^<]*)<\/a>/g)].map(
    ([, title]) => title!,
  )
}

export function rowOf(html: string, id: string): string {
  return html.split(`<li id="document-${id}"`)[1]?.split('</li>')[0] ?? ''
}

/** The parameter by which a list asks whether it has changed. */
export function seenIn(html: string): string {
  return `seen=${/&quot;seen&quot;:&quot;([^&]+)&quot;/.exec(html)![1]}`
}

/** The value of a form's hidden field. */
export function hiddenIn(html: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(html)![1]!
}

/** The address and the hidden fields of the form with this button. */
export function formWith(html: string, button: string): [action: string, fields: Record<string, string>] {
  const form = html.split('<form').find((part) => part.includes(`>${button}</button>`)) ?? ''
  const named = form.matchAll(/name="(\w+)"(?: value="([^"]*)"| hidden>\n([^<]*)<)/g)
  const fields = [...named].map(([, name, value, area]) => [name, plain(value ?? area!)])
  return [plain(/action="([^"]*)"/.exec(form)?.[1] ?? ''), Object.fromEntries(fields)]
}
