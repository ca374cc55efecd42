import type { Tenant } from '../support/stand/stand.ts'

export interface Hit {
  document_id: string
  chunk_index: number
  score: number
}

export const key = ({ document_id, chunk_index }: Pick<Hit, 'document_id' | 'chunk_index'>) =>
  `${document_id} ${chunk_index}`

/** The API's ten best hits for a vector. */
export async function search(tenant: Tenant, embedding: ArrayLike<number>, more: object = {}): Promise<Hit[]> {
  const request = { embedding: Array.from(embedding), limit: 10, ...more }
  return (await tenant.call('POST', `${tenant.knowledgeBase}/search`, request)).body.data
}

/** The number of bits in which two sketches differ. */
export function differing(a: string, b: string): number {
  let count = 0
  for (let at = 1; at < a.length; at++) {
    const bits = Number.parseInt(a[at]!, 16) ^ Number.parseInt(b[at]!, 16)
    count += (bits & 1) + ((bits >> 1) & 1) + ((bits >> 2) & 1) + (bits >> 3)
  }
  return count
}
