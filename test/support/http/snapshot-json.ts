import { gunzipSync } from 'node:zlib'

/** The JSON in a part of a snapshot. */
export function snapshotJson(part: Buffer): string {
  return gunzipSync(part.subarray(4, 4 + part.readUInt32BE(0))).toString()
}
