// Checks everything that a client must be able to do. The argument is its name, the exit code the result.
import assert from 'node:assert/strict'

const { MCP_URL, EMPTY_URL, API_KEY, QUESTION, ANSWER } = process.env
const { open } = await import(`./${process.argv[2]}.mjs`)

const client = await open(MCP_URL, { 'X-API-Key': API_KEY })
assert.deepEqual((await client.list()).map(({ name }) => name).sort(), ['fetch', 'search'])

const { structuredContent, content } = await client.call('search', { query: QUESTION })
const [best] = structuredContent.results
assert.match(best.text, new RegExp(ANSWER))
assert.deepEqual(JSON.parse(content[0].text), structuredContent)

const read = await client.call('fetch', { id: best.id })
assert.match(read.structuredContent.text, new RegExp(ANSWER))

const refused = await client.call('search', { query: ' ' })
assert.equal(refused.isError, true)
assert.match(refused.content[0].text, /must not be blank/)
await client.close()

const empty = await open(EMPTY_URL, { Authorization: `Bearer ${API_KEY}` })
assert.deepEqual(await empty.list(), [])
await empty.close()

await assert.rejects(async () => {
  const stranger = await open(MCP_URL, { 'X-API-Key': 'cue_wrong' })
  await stranger.list()
}, 'a wrong key is let in')
process.exit(0)
