import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { ApiError, echoed, isRefusal } from '../../shared/http/errors.ts'
import { readBody } from '../../shared/http/input/validation.ts'
import { advice } from '../../shared/retrieval/answerable.ts'
import type { Format } from '../../shared/retrieval/schemas.ts'
import { saidOf } from '../../shared/retrieval/speech/speech.ts'
import { plainLine } from '../../shared/text/plain-line.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import { joined } from './passages.ts'
import { fetchArguments, idOf, placeOf, type SearchArguments, searchArguments } from './schemas.ts'
import type { Served } from './served.ts'
import { fetchTool, searchTool } from './tool-texts.ts'

export interface Call {
  served: Served
  /** The address of the agent's documents, to which citations link. */
  documentsUrl: string
  callId: string | undefined
  /** The form of passages, unless the model asks for another. */
  format?: Format | undefined
  /** Metadata that a document must contain. The address has it, so that no model can leave it out. */
  document_metadata?: Record<string, unknown> | undefined
}

const passagesPerSearch = 5
const degradedKey = 'dev.cuecard/degraded'

class ToolError extends Error {}

async function search(
  { served, documentsUrl, callId, format, document_metadata }: Call,
  input: unknown,
): Promise<CallToolResult> {
  const heard = readBody(searchArguments, input) as SearchArguments
  const {
    data: found,
    degraded,
    status,
    value,
    today,
  } = await served.answer({
    mode: 'hybrid',
    format,
    ...heard,
    document_metadata,
    limit: passagesPerSearch,
    call_id: callId,
  })
  const data = status === 'nothing' ? [] : found
  if (found.length === 0) await requireServed(served)
  const results = data.map(({ document_id, chunk_index, content, source }) => {
    const title = plainLine(source.title)
    return {
      id: idOf(document_id, chunk_index),
      title,
      url: `${documentsUrl}/${document_id}`,
      text: content,
      source: { ...source, title, page: onLine(source.page), heading: onLine(source.heading) },
    }
  })
  const said = saidOf(data, value)
  return {
    ...resultOf({
      ...(said && { value: plainLine(said), confidence: value!.confidence }),
      ...(today && { today: `Today is ${today}.` }),
      status,
      ...(status !== 'found' && { retryable: false, message: advice[status] }),
      results,
    }),
    ...(degraded && { _meta: { [degradedKey]: degraded } }),
  }
}

async function fetch({ served, documentsUrl, document_metadata }: Call, input: unknown): Promise<CallToolResult> {
  const { id } = readBody(fetchArguments, input) as { id: string }
  const place = placeOf(id)
  const passages = place ? await served.passagesAt(place, document_metadata) : []
  const [first, last] = [passages[0], passages.at(-1)]
  if (!place || !first || !last) {
    await requireServed(served)
    throw new ToolError(unknownId)
  }
  const neighbour = (index: number | null) => (index === null ? null : idOf(place.documentId, index))
  return resultOf({
    id,
    title: plainLine(first.heading),
    text: joined(passages),
    url: `${documentsUrl}/${place.documentId}`,
    metadata: {
      document_id: place.documentId,
      is_whole_document: first.previous === null && last.next === null,
      previous_id: neighbour(first.previous),
      next_id: neighbour(last.next),
    },
  })
}

/** @throws ToolError if search serves nothing of the agent */
async function requireServed(served: Served): Promise<void> {
  if (!(await served.isServing())) throw new ToolError(nothingServed)
}

const tools: Record<string, typeof search> = { [searchTool.name]: search, [fetchTool.name]: fetch }

/** @throws ProtocolError for an unknown tool; ApiError if the agent or the key is refused */
export async function callTool(
  name: string,
  input: unknown,
  call: Call,
  onUnexpected: (error: unknown) => void,
): Promise<CallToolResult> {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${echoed(name)}`)
  try {
    return await tool(call, input)
  } catch (error) {
    if (error instanceof ApiError && isRefusal(error)) throw error
    return { content: [{ type: 'text', text: messageFor(error, onUnexpected) }], isError: true }
  }
}

const onLine = <T>(name: T) => (typeof name === 'string' ? plainLine(name) : name)

/** The result as structured content, and as text for clients that read only that. */
function resultOf(structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

const nothingServed =
  'No document of this knowledge base is ready yet, so there is nothing to find. Do not call this tool again now: say that you do not have the information.'
const unknownId =
  'There is no document or passage with this `id`, or it no longer exists. Call `search` and use an `id` from its results.'
const unavailable =
  'The knowledge base cannot be reached right now. Call the tool once more; if that fails too, say that you cannot look this up at the moment.'
const unexpected =
  'The tool failed unexpectedly. Calling it again the same way will not help: say that you cannot look this up at the moment.'

function messageFor(error: unknown, onUnexpected: (error: unknown) => void): string {
  if (error instanceof ToolError) return error.message
  if (error instanceof ApiError && error.code === 'temporarily_unavailable') return unavailable
  if (error instanceof ApiError) return error.errors ? faultsOf(error) : error.message
  onUnexpected(error)
  return error instanceof Unavailable ? unavailable : unexpected
}

function faultsOf({ errors = [] }: ApiError): string {
  const faults = errors.map((error) => {
    const name = 'pointer' in error ? error.pointer.slice(1) : ''
    return `${name ? `\`${name}\`` : 'The arguments'} ${error.detail}.`
  })
  return `${faults.join(' ')} Call the tool again with valid arguments.`
}
