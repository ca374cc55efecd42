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

export interface Tour {
  origin: string
  demo: Demo
  signal: AbortSignal
  /** True if documents wait for an unavailable embedding provider. */
  isWaiting: boolean
  onPosted: () => Promise<void>
}

/** Stores the samples, shows their processing and asks about them. @throws Error that names the failed call */
export async function tour({ origin, demo, signal, isWaiting, onPosted }: Tour): Promise<void> {
  const knowledgeBase = `${origin}/v1/agents/${demo.agentId}/knowledge-base`
  const call = async <T>(url: string, body?: unknown): Promise<T> => {
    const response = await fetch(url, {
      headers: { 'x-api-key': demo.apiKey, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      signal,
    })
    if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }

  console.log('\nSample documents')
  const stored = await call<{ data: Document[] }>(`${knowledgeBase}?limit=100`)
  const files = (await readdir(samples)).sort()
  const documents = await Promise.all(
    files.map(async (file) => {
      const content = await readFile(join(samples, file), 'utf8')
      const title = content.slice(2, content.indexOf('\n')).trim()
      const known = stored.data.find((document) => document.title === title)
      const document = known ?? (await call<Document>(knowledgeBase, { title, content }))
      console.log(`  ${known ? 'kept' : 'posted'}: ${title}, ${content.length} characters, ${document.status}`)
      return document
    }),
  )
  await onPosted()
  if (isWaiting) return console.log('  They wait for the embedding provider.')

  const until = AbortSignal.timeout(maxFollowMilliseconds)
  const ended = await Promise.all(
    documents.map(({ id, status }) => follow(`${knowledgeBase}/${id}`, status, call, until)),
  )
  if (ended.includes(false)) console.log('  The others are still being processed in the background.')
  for (const query of questions) {
    const { data } = await call<{ data: { document_title: string; content: string; score: number }[] }>(
      `${knowledgeBase}/search`,
      { query, limit: 1 },
    )
    console.log(`\n? ${query}`)
    if (data.length === 0) console.log('  Nothing was found.')
    for (const hit of data)
      console.log(`  ${hit.document_title} (score ${hit.score.toFixed(2)})\n${indent(hit.content)}`)
  }
}

const pollMilliseconds = 100
const maxFollowMilliseconds = 30_000

async function follow(
  url: string,
  status: string,
  call: (url: string) => Promise<Document>,
  until: AbortSignal,
): Promise<boolean> {
  const seen = [status]
  while (!until.aborted) {
    const document = await call(url)
    if (seen.at(-1) !== document.status) seen.push(document.status)
    if (document.status === 'completed' || document.status === 'error') {
      console.log(
        `  ${seen.join(' → ')}: ${document.title}, ${document.error_message ?? `${document.chunk_count} chunks`}`,
      )
      return true
    }
    await setTimeout(pollMilliseconds)
  }
  return false
}

function indent(text: string): string {
  const shown = text.trim().length > 400 ? `${text.trim().slice(0, 400)} …` : text.trim()
  return shown.replace(/^/gm, '  | ')
}
