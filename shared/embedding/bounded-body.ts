/**
 * The body as text, decompressed. Undefined if it has more bytes: then the rest is not read, and the connection is closed.
 * @throws what the connection fails with
 */
export async function readBounded(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    // To leave the loop is to cancel the stream.
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes).toString()
}
