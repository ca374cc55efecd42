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
  /** Its own word; empty where it says none. */
  name: string
  redirectUris: string[]
  /** Whose document its id is the address of; undefined for an app that registered itself. */
  host: string | undefined
}

/** No app with which anybody can be connected; the message says why, for people. */
export class ClientRefused extends Error {}

const maxBytes = 10_000
const milliseconds = 5000
const cacheMilliseconds = 300_000

/** What an app says of itself. */
export const clientMetadata = v.object({
  client_name: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(200),
      // Nor what turns the direction of what follows.
      v.transform((name) => name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()),
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

/** By ids that are addresses of documents, or of apps that registered themselves. @throws ClientRefused */
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
    throw new ClientRefused('It isn’t registered, or no longer. Remove the connection in the app and add it again.')
  return { id, name: row.name, redirectUris: row.redirect_uris, host: undefined }
}

/** Reads a client id metadata document (draft-ietf-oauth-client-id-metadata-document). */
async function documented(id: string): Promise<Client> {
  const url = URL.parse(id)
  if (url?.href !== id || url.pathname === '/' || url.hash)
    throw new ClientRefused('Its id must be the whole address of a document, as browsers write it.')
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
      throw new ClientRefused('It wants to prove itself with a key or a secret, which Cuecard doesn’t support.')
    throw new ClientRefused(`Its document is invalid${field ? ` at “${field}”` : ''}.`)
  }
  const { client_id, client_name, redirect_uris } = found.output
  if (client_id !== id) throw new ClientRefused('Its document is that of another app.')
  return { id, name: client_name, redirectUris: redirect_uris, host: url.host }
}
