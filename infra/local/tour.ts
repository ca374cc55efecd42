import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Demo } from './demo.ts'

const samples = join(import.meta.dirname, 'samples')
const questions = [
  'Are you open on Sunday?',
  'How much is it to fix a flat tire?',
  'My e-bike shows E-06 and the speedometer stays at zero. What is wrong?',
]

interface Document {
  id: string
  title: string
  status: string
  chunk_count: number
  error_message: string | null
}

export async function tour(origin: string, demo: Demo): Promise<void> {
  const knowledgeBase = `${origin}/v1/agents/${demo.agentId}/knowledge-base`
  const call = async <T>(url: string, body?: unknown): Promise<T> => {
    const response = await fetch(url, {
      headers: { 'x-api-key': demo.apiKey, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }

  const listed = await call<{ data: Document[] }>(`${knowledgeBase}?limit=100`)
  const known = new Map(listed.data.map((document) => [document.title, document]))
  console.log('\nDocuments')
  const files = (await readdir(samples)).sort()
  await Promise.all(
    files.map(async (file) => {
      const content = await readFile(join(samples, file), 'utf8')
      const title = content.slice(2, content.indexOf('\n')).trim()
      const document = known.get(title) ?? (await call<Document>(knowledgeBase, { title, content }))
      console.log(
        `  ${known.has(title) ? 'kept' : 'posted'}: ${title}, ${content.length} characters, ${document.status}`,
      )
      await follow(`${knowledgeBase}/${document.id}`, document.status, call)
    }),
  )

  for (const query of questions) {
    const { data } = await call<{ data: { document_title: string; content: string; score: number }[] }>(
      `${knowledgeBase}/search`,
      { query, limit: 1 },
    )
    console.log(`\n? ${query}`)
    for (const hit of data)
      console.log(`  ${hit.document_title} (score ${hit.score.toFixed(2)})\n${indent(hit.content)}`)
  }
}

const pollMilliseconds = 20

async function follow(url: string, status: string, call: (url: string) => Promise<Document>): Promise<void> {
  const seen = [status]
  for (;;) {
    const document = await call(url)
    if (seen.at(-1) !== document.status) seen.push(document.status)
    if (document.status === 'completed' || document.status === 'error') {
      console.log(
        `  ${seen.join(' → ')}: ${document.title}, ${document.error_message ?? `${document.chunk_count} chunks`}`,
      )
      return
    }
    await setTimeout(pollMilliseconds)
  }
}

function indent(text: string): string {
  const shown = text.trim().length > 400 ? `${text.trim().slice(0, 400)} …` : text.trim()
  return shown.replace(/^/gm, '  | ')
}

export function curlLines(envFile: string): string {
  return `
Add a document of your own:

  source ${envFile}
  curl -s "$BASE_URL/v1/agents/$AGENT_ID/knowledge-base" -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' \\
    -d '{"title": "Parking", "content": "Guests park free of charge behind the house. The gate code is 4711."}'
  curl -s "$BASE_URL/v1/agents/$AGENT_ID/knowledge-base/search" -H "X-API-Key: $API_KEY" -H 'Content-Type: application/json' \\
    -d '{"query": "Where can I park?", "limit": 1}'

Press Ctrl-C to stop. The data is kept for the next start.`
}
