import { afterEach, expect, test, vi } from 'vitest'
import { logForPeople } from '../../infra/local/terminal-log.ts'
import { describeError, log } from '../../shared/log.ts'
import { Unavailable } from '../../shared/unavailable.ts'

const json = vi.spyOn(log, 'error').mockImplementation(() => {})
const lines: string[] = []
let now = 0
const markTold = logForPeople(
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
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}The embedding provider cannot be reached\. Documents wait/),
    expect.stringMatching(/is busy\. Documents wait/),
    expect.stringMatching(/timed out\. .*; searches match words alone/),
  ])
  now += 59_999
  retry('The embedding provider cannot be reached')
  expect(lines).toHaveLength(3)
  now += 1
  retry('The embedding provider cannot be reached')
  expect(lines).toHaveLength(4)
  expect(json).not.toHaveBeenCalled()
})

test('the same fault is told once, whatever it stops, the provider adds or the start said of it', () => {
  markTold('The embedding provider cannot be reached (ECONNREFUSED)')
  retry('The embedding provider cannot be reached (ECONNREFUSED)')
  expect(lines).toEqual([])
  retry('The embedding provider is busy (status 429: 7 left)', 429)
  retry('The embedding provider is busy (status 429: 6 left)', 429)
  const error = new Unavailable('embedding_provider', new Error('The embedding provider is busy (status 429: 5 left)'))
  log.error('embedding_provider_unavailable', { error: describeError(error) })
  expect(lines).toHaveLength(1)
})

test('a database that is away or full is a line in words once a minute, whoever meets it', () => {
  const full = Object.assign(new Error('could not extend file "base/5/16540": No space left on device'), {
    code: '53100',
  })
  for (const event of ['database_unavailable', 'delivery_failed', 'invocation_failed'])
    log.error(event, { error: describeError(new Unavailable('database', full)) })
  expect(lines).toEqual([
    expect.stringMatching(/No space left on device\)\. Requests are answered with 503, and documents wait/),
  ])
  expect(json).not.toHaveBeenCalled()
})

test('any other trouble stays a line of JSON, with all that it says', () => {
  const fields = { error: describeError(new Error('a fault of ours')) }
  log.error('unexpected_error', fields)
  expect(lines).toEqual([])
  expect(json).toHaveBeenCalledWith('unexpected_error', fields)
})
