import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { formatVersion, type SnapshotPart } from '../../functions/snapshot/schemas.ts'

const decompress = promisify(gunzip)

export function digestOf(body: Uint8Array, encoding: 'base64' | 'hex'): string {
  return createHash('sha256').update(body).digest(encoding)
}

/** @returns a part and the vectors of its chunks, in their order @throws Error for a part of a format that this version doesn't know */
export async function readPart(body: Uint8Array): Promise<{ part: SnapshotPart; vectors: Uint8Array }> {
  const end = 4 + new DataView(body.buffer, body.byteOffset).getUint32(0)
  const part: SnapshotPart = JSON.parse((await decompress(body.subarray(4, end))).toString())
  if (part.format !== formatVersion)
    throw new Error(`The service’s snapshots have format ${part.format}: install a newer version of this library`)
  return { part, vectors: body.subarray(end) }
}
