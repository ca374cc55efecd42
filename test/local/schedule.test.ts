import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { every } from '../../infra/local/schedule.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('a schedule runs at once and then at every interval, until it is stopped', async () => {
  const handler = vi.fn()
  const schedule = every(60, handler)
  expect(handler).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(180_000)
  expect(handler).toHaveBeenCalledTimes(4)
  await schedule.stop()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(handler).toHaveBeenCalledTimes(4)
})

test('a run that is due during another is skipped', async () => {
  const gates: (() => void)[] = []
  const handler = vi.fn(() => new Promise<void>((resolve) => gates.push(resolve)))
  const schedule = every(60, handler, { timeoutSeconds: 1000 })
  await vi.advanceTimersByTimeAsync(180_000)
  expect(handler).toHaveBeenCalledTimes(1)
  gates[0]?.()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(handler).toHaveBeenCalledTimes(2)
  const stopped = vi.fn()
  const stopping = schedule.stop().then(stopped)
  await vi.advanceTimersByTimeAsync(1)
  expect(stopped).not.toHaveBeenCalled()
  gates[1]?.()
  await stopping
})

test('a run that is due during another starts if runs may be parallel, and the schedule ends with the last one', async () => {
  const gates: (() => void)[] = []
  const handler = () => new Promise<void>((resolve) => gates.push(resolve))
  const schedule = every(1, handler, { timeoutSeconds: 25, isParallel: true })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(gates).toHaveLength(3)
  const stopped = vi.fn()
  const stopping = schedule.stop().then(stopped)
  gates[0]?.()
  gates[2]?.()
  await vi.advanceTimersByTimeAsync(1)
  expect(stopped).not.toHaveBeenCalled()
  gates[1]?.()
  await stopping
})

test('a run that fails or outlives its time-out is reported and does not stop the schedule', async () => {
  const onError = vi.fn()
  const boom = () => Promise.reject(new Error('boom'))
  const handler = vi
    .fn()
    .mockImplementationOnce(boom)
    .mockImplementationOnce(() => new Promise(() => {}))
  const schedule = every(60, handler, { functionName: 'sweeper', timeoutSeconds: 50, onError })
  await vi.advanceTimersByTimeAsync(120_000)
  expect(handler).toHaveBeenCalledTimes(3)
  expect(onError.mock.calls.map(([error]) => error.message)).toEqual(['boom', 'sweeper timed out after 50 seconds'])
  await schedule.stop()
})
