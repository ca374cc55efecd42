import { afterEach, expect, test, vi } from 'vitest'
import { logForPeople } from '../../infra/local/terminal-log.ts'
import { describeError, log } from '../../shared/log.ts'
import { Unavailable } from '../../shared/unavailable.ts'

const json = vi.spyOn(log, 'error').mockImplementation(() => {})
const lines: string[] = []
let now = 0
const markReported = logForPeople(
  (line) => lines.push(line),
  () => now,
)

afterEach(() => {
  lines.length = 0
  now += 3_600_000
  json.mockClear()
})

const retry = (error: string, status?: number) =>
  log.warn('document_retry_scheduled', { document_id: crypto.randomUUID(), reason: 'unavailable', status, error })

test('trouble of the provider is a line in words for each kind, once a minute', () => {
  for (let i = 0; i < 100; i++) retry('The embedding provider cannot be reached')
  retry('The embedding provider is busy', 429)
  const error = new Unavailable('embedding_provider', new Error('The embedding provider timed out'))
  for (let i = 0; i < 2; i++) log.error('embedding_provider_unavailable', { error: describeError(error) })
  expect(lines).toEqual([
    expect.stringMatching(
      /^\d\d:\d\d:\d\d {2}The embedding provider cannot be reached\. Until it is back, documents wait/,
    ),
    expect.stringMatching(/is busy\. Until it is back, documents wait/),
    expect.stringMatching(/timed out\. .*searches match words only/),
  ])
  now += 59_999
  retry('The embedding provider cannot be reached')
  expect(lines).toHaveLength(3)
  now += 1
  retry('The embedding provider cannot be reached')
  expect(lines).toHaveLength(4)
  expect(json).not.toHaveBeenCalled()
})

test('the same fault is reported once, whatever the provider adds to it', () => {
  markReported('The embedding provider cannot be reached (ECONNREFUSED)')
  retry('The embedding provider cannot be reached (ECONNREFUSED)')
  expect(lines).toEqual([])
  retry('The embedding provider is busy (status 429: 7 left)', 429)
  retry('The embedding provider is busy (status 429: 6 left)', 429)
  const error = new Unavailable('embedding_provider', new Error('The embedding provider is busy (status 429: 5 left)'))
  log.error('embedding_provider_unavailable', { error: describeError(error) })
  expect(lines).toHaveLength(1)
})

test('a database that is away or full is one line in words a minute', () => {
  const full = Object.assign(new Error('could not extend file "base/5/16540": No space left on device'), {
    code: '53100',
  })
  for (const event of ['database_unavailable', 'delivery_failed', 'invocation_failed'])
    log.error(event, { error: describeError(new Unavailable('database', full)) })
  expect(lines).toEqual([
    expect.stringMatching(/No space left on device\)\. Until it is back, requests are answered with 503/),
  ])
  expect(json).not.toHaveBeenCalled()
})

test('any other trouble stays a line of JSON', () => {
  const fields = { error: describeError(new Error('a fault of ours')) }
  log.error('unexpected_error', fields)
  expect(lines).toEqual([])
  expect(json).toHaveBeenCalledWith('unexpected_error', fields)
})
