// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is source text.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Takes each safeguard of the pipeline out in turn, in a copy of the source, and shows which test turns red. Fails when one
 * can be taken out unnoticed, or when its text is no longer found. `npm run test:mutations -- [a pattern of names]`
 */
interface Mutation {
  safeguard: string
  file: string
  find: string
  replace: string
  /** Where to look for the test that turns red. */
  tests: string[]
}

const races = 'test/pipeline/races.test.ts'
const costs = 'test/pipeline/costs.test.ts'
const outcomes = 'test/pipeline/outcomes.test.ts'
const sweeper = 'test/pipeline/sweeper.test.ts'
const provider = 'test/pipeline/provider.test.ts'
const retries = 'test/api/retries.test.ts'
const hanging = 'test/api/hanging-queue.test.ts'
const histories = 'test/simulation/histories-1.test.ts'

const mutations: Mutation[] = [
  {
    safeguard: 'the fence at commit',
    file: 'functions/embedding/outcome.ts',
    find: 'where ${leaseFence(claim)} and (${chunkCount}::int, ${chunkCount}::int)',
    replace:
      'where d.organization_id = ${claim.organizationId} and d.id = ${claim.documentId} and (${chunkCount}::int, ${chunkCount}::int)',
    tests: [races, histories],
  },
  {
    safeguard: 'the fence at storing chunks',
    file: 'functions/embedding/stored-chunks.ts',
    find: "left join known on known.content_hash = decode(wanted.hash, 'hex')\n      where ${leaseFence(claim)}",
    replace:
      "left join known on known.content_hash = decode(wanted.hash, 'hex')\n      where d.organization_id = ${claim.organizationId} and d.id = ${claim.documentId}",
    tests: [races, histories],
  },
  {
    safeguard: 'the fence at failing',
    file: 'functions/embedding/outcome.ts',
    find: "status = 'error', error_code = ${error.code}, error_message = ${error.message},\n      lease_token = null, lease_expires_at = null, next_attempt_at = null\n    where ${leaseFence(claim)}",
    replace:
      "status = 'error', error_code = ${error.code}, error_message = ${error.message},\n      lease_token = null, lease_expires_at = null, next_attempt_at = null\n    where d.organization_id = ${claim.organizationId} and d.id = ${claim.documentId} and d.managed_by = 'service'",
    tests: [races, histories],
  },
  {
    safeguard: 'every chunk has a vector before it is served',
    file: 'functions/embedding/outcome.ts',
    find: 'select count(*), count(embedding) from chunks c',
    replace: 'select ${chunkCount}::int, ${chunkCount}::int from chunks c',
    tests: [races, histories],
  },
  {
    safeguard: 'the lease in the claim',
    file: 'functions/embedding/claim.ts',
    find: "status = 'processing' and lease_expires_at < now() and",
    replace: "status = 'processing' and",
    tests: [races, histories],
  },
  {
    safeguard: 'the claim minds when the document is due',
    file: 'functions/embedding/claim.ts',
    find: "(status = 'pending' and coalesce(next_attempt_at, now()) <= now()",
    replace: "(status = 'pending'",
    tests: [outcomes],
  },
  {
    safeguard: 'the claim leaves the client’s documents alone',
    file: 'functions/embedding/claim.ts',
    find: " and managed_by = 'service'",
    replace: ' and content is not null',
    tests: [races, histories],
  },
  {
    safeguard: 'the claim minds the organization (first wall)',
    file: 'functions/embedding/claim.ts',
    find: 'where organization_id = ${organizationId} and id = ${documentId}',
    replace: 'where id = ${documentId}',
    tests: [races, histories],
  },
  {
    safeguard: 'old chunks go in the same commit',
    file: 'functions/embedding/outcome.ts',
    find: 'and c.revision <> completed.revision',
    replace: 'and false',
    tests: [races, histories],
  },
  {
    safeguard: 'search serves the active revision alone',
    file: 'functions/search/search.ts',
    find: ".whereRef('c.revision', '=', 'd.active_revision')",
    replace: '',
    tests: [races, histories],
  },
  {
    safeguard: 'a change makes a new revision',
    file: 'functions/documents/update-document.ts',
    find: 'revision = d.revision + restarts::int,',
    replace: 'revision = d.revision,',
    tests: [races, histories],
  },
  {
    safeguard: 'a takeover makes a new revision',
    file: 'functions/chunks/chunks.ts',
    find: "managed_by = 'client', status = 'pending', revision = d.revision + 1, chunk_count = 0, error_message",
    replace: "managed_by = 'client', status = 'pending', revision = d.revision, chunk_count = 0, error_message",
    tests: [races, histories],
  },
  {
    safeguard: 'the send after commit',
    file: 'functions/documents/app.ts',
    find: 'if (restarted) await enqueue(db, key.organizationId, document.id, origin)',
    replace: 'if (!restarted) await enqueue(db, key.organizationId, document.id, origin)',
    tests: [outcomes],
  },
  {
    safeguard: 'a failed send is not the caller’s trouble',
    file: 'shared/queue.ts',
    find: '    return false\n  }\n}',
    replace: '    throw error\n  }\n}',
    tests: [outcomes, histories],
  },
  {
    safeguard: 'the sweeper’s pending half',
    file: 'functions/sweeper/sweep.ts',
    find: "where managed_by = 'service' and status = 'pending' and coalesce(next_attempt_at, now()) <= now()",
    replace: 'where false',
    tests: [sweeper, histories],
  },
  {
    safeguard: 'the sweeper’s processing half',
    file: 'functions/sweeper/sweep.ts',
    find: "where managed_by = 'service' and status = 'processing' and lease_expires_at < now()",
    replace: 'where false',
    tests: [sweeper, histories],
  },
  {
    safeguard: 'the sweeper leaves live leases alone',
    file: 'functions/sweeper/sweep.ts',
    find: "status = 'processing' and lease_expires_at < now()",
    replace: "status = 'processing'",
    tests: [sweeper, races, histories],
  },
  {
    safeguard: 'five attempts are enough',
    file: 'functions/sweeper/sweep.ts',
    find: "status = case when attempt < ${maxAttempts} then 'pending' else 'error' end,",
    replace: "status = 'pending',",
    tests: [sweeper, histories],
  },
  {
    safeguard: 'a day is enough',
    file: 'functions/sweeper/sweep.ts',
    find: "status = 'pending' and pending_since < now() - interval '24 hours'",
    replace: 'false',
    tests: [sweeper],
  },
  {
    safeguard: 'organizations take turns',
    file: 'functions/sweeper/sweep.ts',
    find: 'order by turn, due.resend_at',
    replace: 'order by due.resend_at',
    tests: [sweeper],
  },
  {
    safeguard: 'what waits in line is not sent every minute',
    file: 'functions/sweeper/sweep.ts',
    find: 'least(now() - pending_since,',
    replace: "least(interval '0',",
    tests: [sweeper],
  },
  {
    safeguard: 'a failed send of the sweeper does not count as sent',
    file: 'functions/sweeper/sweep.ts',
    find: 'now() + case when tried.is_sent',
    replace: 'now() + case when true',
    tests: [sweeper],
  },
  {
    safeguard: 'a failed send of a request or a worker does not count as sent',
    file: 'shared/documents/outbox.ts',
    find: 'update documents set resend_at = now()',
    replace: 'update documents set resend_at = resend_at',
    tests: [sweeper],
  },
  {
    safeguard: 'a sweeper that dies before it has sent has sent nothing',
    file: 'functions/sweeper/sweep.ts',
    find: 'update documents d set resend_at = now() + make_interval(secs => ${lostAfterSeconds})',
    replace: "update documents d set resend_at = now() + interval '1 day'",
    tests: [sweeper],
  },
  {
    safeguard: 'the sweeper’s news of a send gives way to a worker’s',
    file: 'functions/sweeper/sweep.ts',
    find: '(d.organization_id, d.id, d.resend_at) = (tried.organization_id, tried.id, tried.resend_at)',
    replace: '(d.organization_id, d.id) = (tried.organization_id, tried.id)',
    tests: [sweeper],
  },
  {
    safeguard: 'a queue that hangs is waited for in vain for two seconds',
    file: 'shared/queue.ts',
    find: 'await Promise.race([call(signal), expired])',
    replace: 'await call(signal)',
    tests: [hanging],
  },
  {
    safeguard: 'a sweep stops sending when the queue is dead',
    file: 'functions/sweeper/sweep.ts',
    find: 'failuresInRow >= sendsAtOnce || ',
    replace: '',
    tests: [hanging],
  },
  {
    safeguard: 'a sweep stops sending when its time is nearly up',
    file: 'functions/sweeper/sweep.ts',
    find: ' || !maySend()',
    replace: '',
    tests: [hanging],
  },
  {
    safeguard: 'vector checks: length, finite, norm',
    file: 'shared/embedding/openai-response.ts',
    find: 'const fault = vectorFault(numbers)',
    replace: 'const fault = undefined',
    tests: [provider, histories],
  },
  {
    safeguard: 'vector checks: count',
    file: 'shared/embedding/openai-response.ts',
    find: 'if (vectors.includes(undefined))',
    replace: 'if (false)',
    tests: [provider, histories],
  },
  {
    safeguard: 'vector checks: order by index',
    file: 'shared/embedding/openai-response.ts',
    find: 'vectors[index] = normalize',
    replace: 'vectors[vectors.indexOf(undefined)] = normalize',
    tests: [provider, histories],
  },
  {
    safeguard: 'a busy provider is no failure of the document',
    file: 'functions/embedding/process-document.ts',
    find: 'else if (error instanceof EmbeddingError) await scheduleRetry(job, error)',
    replace: '',
    tests: [outcomes, histories],
  },
  {
    safeguard: 'a document put off is not counted as crashed',
    file: 'functions/embedding/outcome.ts',
    find: "(counts === 'attempt' ? 0 : 1)",
    replace: '0',
    tests: [outcomes, histories],
  },
  {
    safeguard: 'the circuit breaker on a rejected key',
    file: 'shared/embedding/openai-embedder.ts',
    find: "if (error.reason === 'key_rejected') return open(rejectedKeyPauses, error)",
    replace: '',
    tests: [provider, outcomes],
  },
  {
    safeguard: 'the circuit breaker on timeouts',
    file: 'shared/embedding/openai-embedder.ts',
    find: 'if (++consecutiveTimeouts >= maxConsecutiveTimeouts) return open(timeoutPauses, timeout)',
    replace: '',
    tests: [provider, outcomes],
  },
  {
    safeguard: 'a call that its caller aborts is not the provider’s timeout',
    file: 'shared/embedding/openai-embedder.ts',
    find: 'isTimeout && !isAborted',
    replace: '(isTimeout || isAborted)',
    tests: [provider],
  },
  {
    safeguard: 'a rejected text is distinguished from a rejected key',
    file: 'shared/embedding/openai-embedder.ts',
    find: '(await isProbeAccepted(apiKey, signal))',
    replace: 'false',
    tests: [provider, outcomes],
  },
  {
    safeguard: 'secrets are scrubbed from messages',
    file: 'shared/embedding/openai-error.ts',
    find: ".replaceAll(apiKey || '\\0', '…')",
    replace: '',
    tests: [provider, histories],
  },
  {
    safeguard: 'a rejected call is bisected',
    file: 'functions/embedding/embed-missing.ts',
    find: 'if (call.length === 1) return new ChunkRejected',
    replace: 'if (call.length > 0) return new ChunkRejected',
    tests: [outcomes],
  },
  {
    safeguard: 'one poisoned record fails alone',
    file: 'functions/embedding/consumer.ts',
    find: '  return record.messageId\n',
    replace: "  throw new Error('all fail')\n",
    tests: [outcomes],
  },
  {
    safeguard: 'vectors of unchanged texts are taken over',
    file: 'functions/embedding/stored-chunks.ts',
    find: "wanted.metadata, decode(wanted.hash, 'hex'), known.embedding",
    replace: "wanted.metadata, decode(wanted.hash, 'hex'), null::vector",
    tests: [costs],
  },
  {
    safeguard: 'revisions that nobody needs are dropped',
    file: 'functions/embedding/stored-chunks.ts',
    find: 'or c.revision <> d.revision and c.revision is distinct from d.active_revision',
    replace: '',
    tests: [costs],
  },
  {
    safeguard: 'the hand-over before time is up',
    file: 'functions/embedding/process-document.ts',
    find: 'mayCall: () => remaining() > lastCallMilliseconds,',
    replace: 'mayCall: () => true,',
    tests: [costs],
  },
  {
    safeguard: 'the bound on calls in flight',
    file: 'shared/semaphore.ts',
    find: 'if (free > 0) free--',
    replace: 'if (free > 0) free += 0',
    tests: [costs],
  },
  {
    safeguard: 'the claim of an idempotency key',
    file: 'shared/http/idempotency.ts',
    find: 'if (!request) return sql`true`',
    replace: 'if (!request || request) return sql`true`',
    tests: [races, histories],
  },
  {
    safeguard: 'a repeat does not show what was deleted',
    file: 'functions/documents/documents.ts',
    find: 'if (replayed && results.surviving.length === 0)',
    replace: 'if (false)',
    tests: [retries, histories],
  },
  {
    safeguard: 'old idempotency keys are dropped until none is left',
    file: 'functions/sweeper/sweep.ts',
    find: 'if (numAffectedRows < keysPerPurge ||',
    replace: 'if (numAffectedRows <= keysPerPurge ||',
    tests: [sweeper],
  },
  {
    safeguard: 'a claim whose answer was lost is repeated',
    file: 'functions/embedding/claim.ts',
    find: "or status = 'processing' and lease_token = ${leaseToken})",
    replace: ')',
    tests: [races],
  },
  {
    safeguard: 'a repeated claim is one attempt',
    file: 'functions/embedding/claim.ts',
    find: 'attempt + (lease_token is distinct from ${leaseToken})::int',
    replace: 'attempt + 1',
    tests: [races],
  },
  {
    safeguard: 'a worker’s statement whose connection broke is repeated',
    file: 'shared/database/database.ts',
    find: '(this.#connection.isRepeatable && isLost && !rejected)',
    replace: 'false',
    tests: [races],
  },
  {
    safeguard: 'a request’s statement that may have taken effect is not repeated',
    file: 'shared/database/database.ts',
    find: '(this.#connection.isRepeatable && isLost && !rejected)',
    replace: 'isLost',
    tests: [races],
  },
  {
    safeguard: 'a document whose worker lost the database counts no attempt',
    file: 'functions/embedding/process-document.ts',
    find: 'else if (error instanceof Unavailable) await resumeLater(job, error)',
    replace: 'else if (error instanceof Unavailable) throw error',
    tests: [races],
  },
  {
    safeguard: 'the message of a document that was given back, though the answer was lost',
    file: 'functions/embedding/outcome.ts',
    find: "and d.status = 'pending' and (d.attempt",
    replace: 'and false and (d.attempt',
    tests: [races],
  },
  {
    safeguard: 'a long document lets its batch-mates have their turn',
    file: 'shared/steps.ts',
    find: 'if (performance.now() < end) continue',
    replace: 'if (end > 0) continue',
    tests: ['test/pipeline/chunker-time.test.ts'],
  },
  {
    safeguard: 'requests mind the organization (first wall)',
    file: 'shared/database/scope.ts',
    find: '(d.organization_id = ${scope.organizationId} and d.agent_id',
    replace: '(d.agent_id',
    tests: [histories],
  },
]

const root = join(import.meta.dirname, '..')
const copy = mkdtempSync(join(tmpdir(), 'cuecard-mutations-'))
const wanted = new RegExp(process.argv[2] ?? '')
let failures = 0

for (const folder of ['functions', 'shared', 'infra', 'test', 'package.json', 'package-lock.json', 'tsconfig.json'])
  cpSync(join(root, folder), join(copy, folder), { recursive: true })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

for (const { safeguard, file, find, replace, tests } of mutations.filter((each) => wanted.test(each.safeguard))) {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(find).length !== 2) {
    failures++
    console.log(`✗ ${safeguard}: its text is not found once in ${file}`)
    continue
  }
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
  let caught: string | undefined
  // Named tests first; the random histories where those see nothing.
  for (const test of tests) {
    const [red] = run(test)
    if (red) caught ??= `${test.replace('test/', '')}: ${red}`
    if (caught) break
  }
  writeFileSync(path, source)
  if (!caught) failures++
  console.log(caught ? `✓ ${safeguard}\n    ${caught}` : `✗ ${safeguard}: can be taken out unnoticed`)
}
rmSync(copy, { recursive: true })
console.log(failures === 0 ? 'every safeguard is watched' : `${failures} are not`)
process.exitCode = failures === 0 ? 0 : 1

/** The tests of the file that turn red. */
function run(test: string): string[] {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/vitest.config.ts',
      test,
      '--reporter',
      'json',
      '--outputFile',
      report,
      '--testTimeout',
      '30000',
      '--bail',
      '1',
    ],
    {
      cwd: copy,
      env: { ...process.env, SIMULATION_HISTORIES: process.env.SIMULATION_HISTORIES ?? '150' },
      stdio: 'ignore',
    },
  )
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { message: string; assertionResults: { status: string; title: string }[] }[]
  }
  return testResults.flatMap(({ message, assertionResults }) => {
    const red = assertionResults.filter((each) => each.status === 'failed').map((each) => each.title)
    return red.length === 0 && message ? [message.split('\n')[0]!] : red
  })
}
