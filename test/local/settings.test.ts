import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { InvalidSettings, readSettings } from '../../infra/local/settings.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cuecard-settings-'))
})
afterAll(() => rm(home, { recursive: true }))

const read = (env: Record<string, string>, args: string[] = []) =>
  readSettings(args, { PORT: '0', DATA_DIR: join(home, 'data'), ...env })

async function faultsOf(env: Record<string, string>, args?: string[]): Promise<string[]> {
  const error = await read(env, args).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(InvalidSettings)
  return (error as InvalidSettings).faults
}

describe('settings of npm start', () => {
  test('have defaults, and make the directory of the data', async () => {
    const DATA_DIR = join(home, 'made', 'within')
    const settings = { port: 0, dataDir: DATA_DIR, corsOrigins: [], databaseUrl: undefined, hasSamples: true }
    expect(await read({ DATA_DIR, DATABASE_URL: '', POWERTOOLS_LOG_LEVEL: '' })).toEqual(settings)
    expect(await readdir(DATA_DIR)).toEqual([])
    expect(await read({ DATA_DIR }, ['--no-samples'])).toEqual({ ...settings, hasSamples: false })
  })

  test.each([
    ['PORT', '65536', 'must be a whole number from 0 to 65535, not 65536'],
    ['PORT', 'http', 'must be a whole number from 0 to 65535, not http'],
    ['DATABASE_URL', 'localhost:5432/kb', 'must be a URL such as postgres://'],
    ['EMBEDDING_BASE_URL', 'api.openai.com/v1', 'must be a URL such as https://'],
    ['EMBEDDING_BASE_URL', 'ftp://api.example/v1', 'must be a URL such as https://'],
    ['EMBEDDING_API_KEY', 'sk-secret', 'is set without EMBEDDING_BASE_URL: set that'],
    ['EMBEDDING_MODEL', 'text-embedding-3-small', 'must be encoder or lexical without EMBEDDING_BASE_URL'],
    ['EMBEDDING_CONCURRENCY', '0', 'must be a whole number, 1 or more, not 0'],
    ['EMBEDDING_TIMEOUT_SECONDS', '0', 'must be a number of seconds above 0, at most 120, not 0'],
    ['EMBEDDING_TIMEOUT_SECONDS', '20s', 'must be a number of seconds above 0, at most 120, not 20s'],
    ['CHUNK_TOKENS', '4097', 'must be a whole number from 1 to 4096, not 4097'],
    ['CHUNK_TOKENS', ' ', 'must be a whole number from 1 to 4096, not  '],
    ['CHUNK_OVERLAP_TOKENS', '61', 'must be a whole number from 0 to 60, not 61'],
    ['MAIL_FROM', 'Cuecard', 'must be a mail address, or Name <address>'],
    ['KEY_SIGN_IN', 'yes', 'must be true or false, not yes'],
    ['DATA_DIR', '/proc/cuecard', 'must be a directory that can be written, not /proc/cuecard'],
    ['DATA_DIR', '/dev/null', 'must be a directory that can be written, not /dev/null'],
    ['DATA_DIR', '/dev/null/data', 'must be a directory that can be written, not /dev/null/data'],
    ['POWERTOOLS_LOG_LEVEL', 'CHATTY', 'must be one of TRACE, DEBUG, INFO, WARN, ERROR, CRITICAL, SILENT, not CHATTY'],
  ])('with %s=%s have one fault, whose message says what to do', async (name, value, reason) => {
    const faults = await faultsOf({ [name]: value })
    expect(faults).toEqual([expect.stringContaining(`${name} ${reason}`)])
    expect(faults[0]).not.toMatch(/\n|sk-secret/)
  })

  test('have all their faults reported at once, and no directory is left behind', async () => {
    const faults = await faultsOf({ DATA_DIR: join(home, 'un', 'used'), PORT: '-1', CHUNK_TOKENS: 'many' }, ['--frob'])
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['unknown', 'PORT', 'CHUNK_TOKENS'])
    expect(await readdir(home)).not.toContain('un')
  })
})
