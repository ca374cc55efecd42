import { hiddenIn, pageOf } from './document-rows.ts'
import { type SignedIn, useDashboard } from './support.ts'
import { upload } from './uploads.ts'

export const items = ['Flat white', 'Cappuccino', 'Espresso', 'Hot chocolate', 'Pot of tea', 'Lemonade']
export const menu = (...prices: string[]) =>
  items.map((item, i) => `# ${item}\n\nA ${item.toLowerCase()} costs €${prices[i] ?? '3.20'}.`).join('\n\n')

export interface Subject {
  tenant: SignedIn
  old: string
  id: string
}

export function useNewVersions() {
  const { signedIn, stand } = useDashboard()

  /** A served file, and another version of it that was uploaded after it. */
  async function held(name = 'menu 2027.txt', text = menu('3.90')): Promise<Subject> {
    const tenant = await signedIn()
    const old = await upload(stand, tenant, 'menu.txt', menu())
    return { tenant, old, id: await upload(stand, tenant, name, text) }
  }

  return { signedIn, stand, held }
}

export const found = async ({ call, knowledgeBase }: SignedIn, query: string): Promise<string[]> =>
  (await call('POST', `${knowledgeBase}/search`, { query })).body.data.map((hit: { content: string }) => hit.content)
/** Loads the form of the page. @returns what sends it */
export async function formOf({ tenant, id }: Pick<Subject, 'tenant' | 'id'>) {
  const { html } = await tenant.browser.get(pageOf(tenant, id))
  const edits = hiddenIn(html.split('/replace"')[1]!, 'edits')
  return () => tenant.browser.submit(`${pageOf(tenant, id)}/replace`, { edits })
}
export const keep = ({ tenant, id }: Subject) => tenant.browser.submit(`${pageOf(tenant, id)}/keep`)
