import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../shared/database/database.ts'
import { hashKey } from '../../shared/http/api-keys.ts'
import { permissions } from '../../shared/organizations/permissions.ts'
import { createAgent } from '../admin/agents.ts'
import { createKey } from '../admin/keys.ts'
import { createOrganization } from '../admin/organizations.ts'
import { ignoreMissing } from '../error-message.ts'

export interface Demo {
  organizationId: string
  agentId: string
  apiKey: string
  /** True if the samples were once stored or declined. */
  hasSamples?: boolean
}

/** Creates the demo on the first start, and again if the database lacks its key. */
export async function seedDemo(db: Database, dataDir: string): Promise<Demo> {
  const known = await readFile(fileIn(dataDir), 'utf8').then((text): Demo => JSON.parse(text), ignoreMissing)
  if (known && (await isUsable(db, known))) return known
  const organization = await createOrganization(db, 'Pedal & Pine')
  const agent = await createAgent(db, organization.id, 'Front desk')
  const key = await createKey(db, { organizationId: organization.id, name: 'demo', permissions: [...permissions] })
  const demo = { organizationId: organization.id, agentId: agent.id, apiKey: key.key }
  await write(dataDir, demo)
  return demo
}

export const markSeeded = (dataDir: string, demo: Demo) => write(dataDir, { ...demo, hasSamples: true })

const fileIn = (dataDir: string) => join(dataDir, 'demo.json')

async function write(dataDir: string, demo: Demo): Promise<void> {
  const draft = `${fileIn(dataDir)}.${process.pid}`
  await writeFile(draft, JSON.stringify(demo), { mode: 0o600 })
  await rename(draft, fileIn(dataDir))
}

async function isUsable(db: Database, demo: Demo): Promise<boolean> {
  const row = await db
    .selectFrom('api_keys')
    .select('id')
    .where('key_hash', '=', hashKey(demo.apiKey))
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}
