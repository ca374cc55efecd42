import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockDirectory } from '../../infra/data-directory/lock.ts'
import { help, InvalidSettings, readSettings } from '../../infra/local/settings.ts'
import { listen } from '../support/loopback.ts'

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
    ['EMBEDDING_CONCURRENCY', '0', 'must be a whole number, 1 or more, not 0'],
    ['EMBEDDING_TIMEOUT_SECONDS', '0', 'must be a number of seconds above 0, at most 120, not 0'],
    ['EMBEDDING_TIMEOUT_SECONDS', '20s', 'must be a number of seconds above 0, at most 120, not 20s'],
    ['CHUNK_TOKENS', '4097', 'must be a whole number from 1 to 4096, not 4097'],
    ['CHUNK_TOKENS', ' ', 'must be a whole number from 1 to 4096, not  '],
    ['CHUNK_OVERLAP_TOKENS', '61', 'must be a whole number from 0 to 60, not 61'],
    ['POWERTOOLS_LOG_LEVEL', 'CHATTY', 'must be one of TRACE, DEBUG, INFO, WARN, ERROR, CRITICAL, SILENT, not CHATTY'],
  ])('%s=%s is the one fault of a start, and named with what to do', async (name, value, reason) => {
    const faults = await faultsOf({ [name]: value })
    expect(faults).toEqual([expect.stringContaining(`${name} ${reason}`)])
    expect(faults[0]).not.toMatch(/\n|sk-secret/)
  })

  test('the overlap must be less than the chunk, also where one of them is the default', async () => {
    const rule =
      'CHUNK_OVERLAP_TOKENS must be less than CHUNK_TOKENS, which is 50: set it to 49 or less, not 60 (60 is its default)'
    expect(await faultsOf({ CHUNK_TOKENS: '50' })).toEqual([rule])
    expect(await faultsOf({ CHUNK_TOKENS: '50', CHUNK_OVERLAP_TOKENS: '55' })).toEqual([
      expect.stringMatching(/not 55$/),
    ])
    expect(await read({ CHUNK_TOKENS: '50', CHUNK_OVERLAP_TOKENS: '49' })).toBeDefined()
  })

  test('an option that npm took for its own is named with what to type', async () => {
    expect(await faultsOf({ npm_config_samples: '' })).toEqual([
      'npm took --no-samples for itself: npm start -- --no-samples',
    ])
  })

  test.each(['/proc/cuecard', '/dev/null', '/dev/null/data'])(
    'a directory that cannot be made is named: %s',
    async (DATA_DIR) => {
      expect(await faultsOf({ DATA_DIR })).toEqual([
        expect.stringContaining(`DATA_DIR must be a directory that can be written, not ${DATA_DIR}`),
      ])
    },
  )

  test('a directory and a port in use are named with others to use', async () => {
    const DATA_DIR = join(home, 'held')
    const unlock = await lockDirectory(DATA_DIR)
    const { origin, close } = await listen(() => {})
    const { port } = new URL(origin)
    expect(await faultsOf({ DATA_DIR, PORT: port })).toEqual([
      expect.stringMatching(new RegExp(`^${DATA_DIR} is in use by process ${process.pid}, .*DATA_DIR=.* npm start$`)),
      `port ${port} is in use: start on another, such as PORT=${Number(port) + 1} npm start`,
    ])
    await Promise.all([unlock(), close()])
    expect(await read({ DATA_DIR })).toMatchObject({ dataDir: DATA_DIR })
  })

  test('all faults come at once, and leave no directory behind', async () => {
    const faults = await faultsOf({ DATA_DIR: join(home, 'un', 'used'), PORT: '-1', CHUNK_TOKENS: 'many' }, ['--frob'])
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['unknown', 'PORT', 'CHUNK_TOKENS'])
    expect(await readdir(home)).not.toContain('un')
  })

  test('--help names every setting, whatever the settings are', async () => {
    expect(await read({ PORT: 'x' }, ['--help'])).toBeUndefined()
    const readme = ['PORT', 'DATA_DIR', 'DATABASE_URL', 'EMBEDDING_BASE_URL', 'EMBEDDING_API_KEY', '--no-samples']
    for (const name of [...readme, 'POWERTOOLS_LOG_LEVEL']) expect(help).toContain(`  ${name} `)
  })
})
