import { json } from 'node:stream/consumers'
import { lexicalEmbedder } from '../../../shared/embedding/lexical-embedder.ts'
import { listen } from '../http/loopback.ts'
import { openGate } from '../time/gate.ts'

/** An embedding provider that accepts the keys in `keys`; before it rejects another it waits for `beforeRejection`. */
export async function startKeyedProvider() {
  const keys = new Set<string>()
  const embedder = lexicalEmbedder()
  const state = { keys, beforeRejection: openGate }
  const { origin, close } = await listen(async (request, response) => {
    const { input } = (await json(request)) as { input: string[] }
    response.setHeader('content-type', 'application/json')
    if (!keys.has(String(request.headers.authorization).replace('Bearer ', ''))) {
      await state.beforeRejection()
      return response.writeHead(401).end('{"error":{"message":"Incorrect API key provided"}}')
    }
    const vectors = await embedder.embed(input)
    const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }))
    response.end(JSON.stringify({ data, usage: { prompt_tokens: input.length, total_tokens: input.length } }))
  })
  return Object.assign(state, { baseUrl: `${origin}/v1`, close })
}
