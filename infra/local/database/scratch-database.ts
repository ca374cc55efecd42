import { randomBytes } from 'node:crypto'
import { escapeIdentifier } from 'pg'
import { withClient } from '../../postgres-client.ts'

/** Makes an empty database with a unique name on the server of `serverUrl`. `drop` also ends its connections. */
export async function createScratchDatabase(serverUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `scratch_${randomBytes(8).toString('hex')}`
  // Another session would block a copy of template1.
  await run(serverUrl, `create database ${escapeIdentifier(name)} template template0`)
  const url = new URL(serverUrl)
  url.pathname = name
  return { url: url.href, drop: () => run(serverUrl, `drop database if exists ${escapeIdentifier(name)} with (force)`) }
}

async function run(connectionString: string, statement: string): Promise<void> {
  await withClient(connectionString, (client) => client.query(statement))
}
