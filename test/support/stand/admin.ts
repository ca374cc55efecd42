import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RawBuilder } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { publishAddress } from '../../../infra/data-directory/address.ts'
import { lockDirectory } from '../../../infra/data-directory/lock.ts'
import { addressOf } from '../../../infra/local/stand.ts'
import { cuecard, type Finished } from '../tools/command-line.ts'
import { useStand } from './stand.ts'

export const serverUrl = 'postgres://somebody@127.0.0.1/stand'

/** A stand whose address is in a data directory, as of `npm start`, and the command line on it. */
export function useAdmin() {
  const stand = useStand()
  const closers: (() => Promise<unknown>)[] = []
  const target = { dataDir: '' }

  beforeAll(async () => {
    target.dataDir = await temporaryDirectory()
    closers.push(await lockDirectory(target.dataDir))
    const database = { url: process.env.DATABASE_URL!, endpoint: process.env.DATABASE_ENDPOINT! }
    closers.push(await publishAddress(target.dataDir, addressOf(database, stand.emulator, serverUrl)))
  })
  afterAll(async () => {
    for (const close of closers.reverse()) await close()
  })

  const run = <Row>(statement: RawBuilder<Row>) => statement.execute(stand.db)

  async function temporaryDirectory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'cuecard-admin-'))
    closers.push(() => rm(directory, { recursive: true }))
    return directory
  }

  /** The command in this process, on the system that the environment selects. */
  const admin = (
    args: string[],
    env: Record<string, string> = { DATA_DIR: target.dataDir },
    stdin = '',
  ): Promise<Finished> => cuecard(args, { env, stdin })

  /** Runs a command with --json. @returns its output, once it has succeeded */
  async function json(...args: string[]) {
    const { code, stdout, stderr } = await admin([...args, '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  return { stand, target, run, temporaryDirectory, admin, json }
}
