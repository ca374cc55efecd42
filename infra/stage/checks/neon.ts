import { sql } from 'kysely'
import * as v from 'valibot'
import type { Database } from '../../../shared/database/database.ts'
import type { Context } from '../context.ts'
import { type Check, error, type Finding, ok, warning } from './check.ts'

/** A Neon branch's compute and its ids, which are null on any other server. */
export interface Compute {
  max_connections: number
  project: string | null
  branch: string | null
}

export async function computeOf(db: Database): Promise<Compute> {
  const { rows } = await sql<Compute>`select current_setting('max_connections')::int as max_connections,
    current_setting('neon.project_id', true) as project, current_setting('neon.branch_id', true) as branch`.execute(db)
  return rows[0]!
}

/** Connections that Neon keeps for itself. */
const ownConnections = 7

export function checkConnections({ settings, stage }: Context, compute: Compute | undefined): Finding[] {
  if (!compute?.project) return []
  const [admitted, needed] = [compute.max_connections - ownConnections, settings.databaseConnections]
  const figures = `the compute admits ${admitted}, and ${stage} needs ${needed}`
  if (admitted >= needed) return [ok('connections', figures)]
  return [error('connections', `${figures}: give the compute more units at Neon`)]
}

const historyHours = 7 * 24
const projectAnswer = v.object({ project: v.object({ history_retention_seconds: v.number() }) })
const branchAnswer = v.object({ branch: v.object({ protected: v.boolean() }) })

/** Checks a protected stage's history and its branch's protection, which only Neon's API shows. */
export function neonCheck({ settings, stage, terminal: { env } }: Context, compute: Compute | undefined): Check {
  const subject = 'history'
  const { NEON_API_KEY: key, NEON_API_HOST: host = 'https://console.neon.tech/api/v2' } = env
  async function read(path: string): Promise<unknown> {
    const signal = AbortSignal.timeout(10_000)
    const response = await fetch(`${host}${path}`, { headers: { authorization: `Bearer ${key}` }, signal })
    if (response.ok) return await response.json()
    throw new Error(`Neon answers ${response.status} to NEON_API_KEY for ${path}`)
  }
  return {
    subject,
    async judge() {
      if (!settings.terminationProtection || !compute?.project) return []
      if (!key) return [warning(subject, 'and the branch’s protection are unknown: set NEON_API_KEY to a key of Neon')]
      const path = `/projects/${compute.project}`
      const { project } = v.parse(projectAnswer, await read(path))
      const { branch } = v.parse(branchAnswer, await read(`${path}/branches/${compute.branch}`))
      const hours = project.history_retention_seconds / 3600
      const covered = `covers ${hours} of the ${historyHours} hours that a restore may need`
      return [
        hours >= historyHours ? ok(subject, covered) : error(subject, `${covered}: infra/README.md sets it`),
        branch.protected
          ? ok('branch', `${compute.branch} is protected`)
          : error('branch', `${compute.branch} of ${stage} can be deleted: infra/README.md protects it`),
      ]
    },
  }
}
