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
export function differing(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((count, byte, at) => count + (byte ^ b[at]!).toString(2).replaceAll('0', '').length, 0)
}
