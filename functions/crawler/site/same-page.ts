import type { Client } from './client.ts'
import { isSameText, type Seen } from './noise.ts'
import { fetchPage } from './page.ts'

/** Rotating texts repeat themselves by chance; two equal answers more are taken for a stable page. */
const [minAgain, maxAgain] = [2, 3]

/** Asks for a page whose text has changed again at once: true if the difference is noise, or the page does not answer steadily. */
export async function isSamePage(client: Client, address: string, before: Seen, now: Seen): Promise<boolean> {
  const again: string[] = []
  if (isSameText(before, now)) return true
  while (again.length < maxAgain) {
    const fetched = await fetchPage(client, address)
    if (fetched.kind !== 'page') return true
    again.push(fetched.text)
    if (isSameText(before, now, ...again)) return true
    if (again.length >= minAgain && again.every((text) => text === now.text)) return false
  }
  return false
}
