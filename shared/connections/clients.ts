import { sql } from 'kysely'
import * as v from 'valibot'
import { BoundedMap } from '../bounded-map.ts'
import { config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { OutboundRefused } from '../outbound/addresses.ts'
import { OutboundFailed, request } from '../outbound/request.ts'
import { redirectUris } from './redirect-uris.ts'

export interface Client {
  id: string
  /** The name that the app gives itself; empty if it gives none. */
  name: string
  redirectUris: string[]
  /** The host of the document whose URL is the id; undefined for an app that registered itself. */
  host: string | undefined
}

/** The app cannot be connected; the message tells people why. */
export class ClientRefused extends Error {}

const maxBytes = 10_000
const milliseconds = 5000
const cacheMilliseconds = 300_000

/** The metadata that an app gives about itself. */
export const clientMetadata = v.object({
  client_name: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(200),
      // A control character could reverse the direction of the text after the name, and a quotation mark could end the name.
      v.transform((name) => name.replaceAll(/[\p{C}\p{Z}“”„‟❝❞〝〞＂]+/gu, ' ').trim()),
    ),
    '',
  ),
  redirect_uris: redirectUris,
})

const document = v.object({
  ...clientMetadata.entries,
  client_id: v.string(),
  client_name: clientMetadata.entries.client_name.wrapped,
  token_endpoint_auth_method: v.optional(v.literal('none'), 'none'),
  client_secret: v.optional(v.undefined()),
})

/** Finds a client by the URL of its document, or by the id that it got when it registered itself. @throws ClientRefused */
export function clientFinder(now: () => number) {
  const documents = new BoundedMap<string, { client: Client; until: number }>(1000)

  return async function find(db: Database, id: string): Promise<Client> {
    if (!/^https?:/.test(id)) return await registered(db, id)
    const known = documents.get(id)
    if (known && known.until > now()) return known.client
    const client = await documented(id)
    documents.set(id, { client, until: now() + cacheMilliseconds })
    return client
  }
}

async function registered(db: Database, id: string): Promise<Client> {
  const { rows } = await sql<{ name: string; redirect_uris: string[] }>`
    select name, redirect_uris from oauth_clients where id::text = ${id} and expires_at > now()`.execute(db)
  const [row] = rows
  if (!row)
    throw new ClientRefused('It isn’t registered, or no longer is. Remove the connection in the app and add it again.')
  return { id, name: row.name, redirectUris: row.redirect_uris, host: undefined }
}

/** Reads a client id metadata document (draft-ietf-oauth-client-id-metadata-document). */
async function documented(id: string): Promise<Client> {
  const url = URL.parse(id)
  if (url?.href !== id || url.pathname === '/' || url.hash)
    throw new ClientRefused('Its id must be the full URL of a document, as browsers write it.')
  const answer = await request(id, {
    method: 'GET',
    headers: { accept: 'application/json' },
    maxBytes,
    milliseconds,
    isLoopbackAllowed: config().ALLOW_LOOPBACK,
  }).catch((cause) => {
    if (!(cause instanceof OutboundFailed || cause instanceof OutboundRefused)) throw cause
    throw new ClientRefused(`Its document can’t be read. ${cause.message}.`, { cause })
  })
  const type = answer.headers['content-type'] ?? ''
  if (answer.status !== 200 || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    throw new ClientRefused('Its document isn’t there, or isn’t JSON.')
  const found = v.safeParse(v.pipe(v.string(), v.parseJson(), document), answer.body.toString())
  if (!found.success) {
    const field = v.getDotPath(found.issues[0])
    if (field === 'token_endpoint_auth_method' || field === 'client_secret')
      throw new ClientRefused('It authenticates with a key or a secret, which Cuecard doesn’t support.')
    throw new ClientRefused(`Its document is invalid${field ? ` at “${field}”` : ''}.`)
  }
  const { client_id, client_name, redirect_uris } = found.output
  if (client_id !== id) throw new ClientRefused('Its document belongs to another app.')
  return { id, name: client_name, redirectUris: redirect_uris, host: url.host }
}
