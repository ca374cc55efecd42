import type { Client } from './client.ts'
import { isSameText, type Seen } from './noise.ts'
import { fetchPage } from './page.ts'

/** Two more equal answers count as a stable page; more than one is needed, since rotating texts repeat by chance. */
const [minAgain, maxAgain] = [2, 3]

/** Requests a changed page again at once. @returns true if the difference is noise, or the page does not answer steadily */
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
