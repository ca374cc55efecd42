import type { Mutation } from './mutation.ts'
import { gateway, localDatabase, release, settings, steady } from './tests.ts'

export const localMutations: Mutation[] = [
  {
    safeguard: 'one function that hangs leaves slots of the local gateway to the others',
    file: 'infra/local/gateway/slots.ts',
    find: 'Math.min(count - all, maxOfOne - takenBy(request.functionName))',
    replace: 'count - all',
    tests: [gateway],
  },
  {
    safeguard: 'the local gateway has a bounded number of requests in work',
    file: 'infra/local/gateway/slots.ts',
    find: 'Math.min(count - all, maxOfOne - takenBy(request.functionName))',
    replace: 'maxOfOne - takenBy(request.functionName)',
    tests: [gateway],
  },
  {
    safeguard: 'one caller who sends all it can leaves slots of the local gateway to the others',
    file: 'infra/local/gateway/slots.ts',
    find: 'takenBy(keyOf(request)) < shareOfFree * free',
    replace: 'free > 0',
    tests: [gateway],
  },
  {
    safeguard: 'callers take turns at the local gateway',
    file: 'infra/local/gateway/turns.ts',
    find: 'waiting.delete(caller)\n    if (others.length > 0)',
    replace: 'if (others.length === 0) waiting.delete(caller)\n    else',
    tests: [gateway],
  },
  {
    safeguard: 'what lasts seconds in memory is not kept for longer when the wall clock is set back',
    file: 'shared/steady-clock.ts',
    find: 'ahead += Math.max(0, step)',
    replace: 'ahead += step',
    tests: [steady],
  },
  {
    safeguard: 'a panic ends the connection to the embedded database',
    file: 'infra/local/database/pglite-wire.ts',
    find: 'if (!health.panic) return void wire.push(received)',
    replace: 'return void wire.push(received)',
    tests: [localDatabase],
  },
  {
    safeguard: 'after a panic the embedded database is asked nothing more',
    file: 'infra/local/database/pglite-wire.ts',
    find: 'if (health.panic) return done(health.panic)',
    replace: '',
    tests: [localDatabase],
  },
  {
    safeguard: 'a start takes over what a killed stand had in work',
    file: 'infra/local/release-work.ts',
    find: "lease_expires_at: sql<Date>`now() - interval '1 second'`",
    replace: "lease_expires_at: sql<Date>`now() + interval '150 seconds'`",
    tests: [release],
  },
  {
    safeguard: 'a start sends the messages that a queue in memory has lost',
    file: 'infra/local/release-work.ts',
    find: '{ next_attempt_at: null, resend_at: sql<Date>`now()` }',
    replace: '{ next_attempt_at: null }',
    tests: [release],
  },
  {
    safeguard: 'the overlap of chunks is less than a chunk',
    file: 'shared/config.ts',
    find: 'CHUNK_OVERLAP_TOKENS < CHUNK_TOKENS',
    replace: 'CHUNK_OVERLAP_TOKENS <= 60',
    tests: [settings],
  },
  {
    safeguard: 'only allowed origins are told that they may read a response',
    file: 'infra/local/gateway/cors.ts',
    find: '|| !allows(allowed, origin)',
    replace: '',
    tests: ['test/local/gateway.test.ts'],
  },
]
