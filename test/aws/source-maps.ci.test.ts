import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../infra/aws/bundles/bundle.ts'
import { nodeOptions } from '../../infra/aws/functions.ts'
import { toEvent } from '../../infra/local/gateway/event.ts'
import { newKey } from '../../shared/http/api-keys.ts'
import { startInstance } from '../support/aws/lambda-instance.ts'

const directory = mkdtempSync(join(tmpdir(), 'cuecard-source-maps-'))

beforeAll(() => bundle('search', directory))
afterAll(() => rmSync(directory, { recursive: true }))

test('an error in a bundle is logged with the file and the line of the TypeScript', async () => {
  const instance = await startInstance(join(directory, 'handler.mjs'), {
    NODE_OPTIONS: nodeOptions,
    DATABASE_URL: 'postgres://search:secret@localhost/db',
    DATABASE_ENDPOINT: 'http://127.0.0.1:1',
  })
  const path = `/v1/agents/${crypto.randomUUID()}/knowledge-base/search`
  const event = toEvent({ method: 'POST', url: path, headers: { 'x-api-key': newKey() }, body: '{}' }, [path])
  expect(await instance.invoke(event)).toMatchObject({ statusCode: 503 })
  const line = (await instance.stop()).split('\n').find((each) => each.includes('database_unavailable'))!
  const [frame]: string[] = JSON.parse(line).error.frames
  const [, row] = /[( /]\/shared\/database\/database\.ts:(\d+):\d+\)?$/.exec(frame!)!
  const rows = readFileSync(join(import.meta.dirname, '../../shared/database/database.ts'), 'utf8').split('\n')
  expect(rows[Number(row) - 1]).toContain('throw')
})
