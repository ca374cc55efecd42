// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is source text.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOnServer, thoroughOnly } from './support/effort.ts'

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
  /** Seen only where statements truly run at the same time: on the server of DATABASE_URL. */
  needsServer?: boolean
}

const races = 'test/pipeline/races.test.ts'
const costs = 'test/pipeline/costs.test.ts'
const revisions = 'test/pipeline/revisions.test.ts'
const nearest = 'test/database/nearest-chunks.test.ts'
const outcomes = 'test/pipeline/outcomes.test.ts'
const sweeper = 'test/pipeline/sweeper.test.ts'
const provider = 'test/pipeline/provider.test.ts'
const retries = 'test/api/retries.test.ts'
const tags = 'test/api/entity-tags.test.ts'
const searchable = 'test/api/searchable-count.test.ts'
const waiting = 'test/pipeline/waiting.test.ts'
const keys = 'test/api/keys.test.ts'
const inputFaults = 'test/api/input-faults.test.ts'
const vapi = 'test/platforms/vapi.test.ts'
const retell = 'test/platforms/retell.test.ts'
const hanging = 'test/api/hanging-queue.test.ts'
const reference = 'test/api/reference.test.ts'
const sharing = 'test/pipeline/sharing.test.ts'
const keyword = 'test/retrieval/keyword-search.test.ts'
const plans = 'test/database/plans.test.ts'
const migrations = 'test/database/migrate.test.ts'
const mcp = ['test/mcp/protocol.test.ts', 'test/mcp/search-tool.test.ts', 'test/mcp/fetch-tool.test.ts']
const histories = 'test/simulation/histories-1.test.ts'
const release = 'test/local/release-work.test.ts'
const admin = 'test/admin.test.ts'
const settings = 'test/local/settings.test.ts'

const mutations: Mutation[] = [
  {
    safeguard: 'an operator’s command for another server does not work on the local stand',
    file: 'infra/admin/connection.ts',
    find: 'if (url && url !== stand.server_url)',
    replace: "if (url === 'never')",
    tests: [admin],
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
    safeguard: 'the fence at commit',
    file: 'functions/embedding/stored-chunks.ts',
    find: "          .where(isHeld(parts))\n          .whereRef('d.id', '=', 'planned.document_id')",
    replace: "          .where('d.organization_id', '=', organizationId).whereRef('d.id', '=', 'planned.document_id')",
    tests: [races, histories],
  },
  {
    safeguard: 'the fence at storing chunks',
    file: 'functions/embedding/stored-chunks.ts',
    find: 'insertChunks(db, chunks, isHeld(parts))',
    replace: 'insertChunks(db, chunks, sql<boolean>`true`)',
    tests: [races, histories],
  },
  {
    safeguard: 'the fence at storing vectors',
    file: 'functions/embedding/stored-chunks.ts',
    find: 'insertVectors(db, vectors, isHeld(parts))',
    replace: 'insertVectors(db, vectors, sql<boolean>`true`)',
    tests: [races, histories],
  },
  {
    safeguard: 'a request that changes the document waits while a part is stored',
    file: 'functions/embedding/stored-chunks.ts',
    find: '.forShare()',
    replace: '',
    tests: [races],
    needsServer: true,
  },
  {
    safeguard: 'a request that changes the document waits while the last part is stored',
    file: 'functions/embedding/stored-chunks.ts',
    find: ".orderBy('d.id').forNoKeyUpdate()",
    replace: '',
    tests: [races],
    needsServer: true,
  },
  {
    safeguard: 'the fence at failing',
    file: 'functions/embedding/outcome.ts',
    find: '.set(transitions.fail(failure))\n    .where(transitions.leaseFence(claim))',
    replace:
      ".set(transitions.fail(failure)).where(transitions.isManagedByService).where('d.organization_id', '=', claim.organizationId).where('d.id', '=', claim.documentId)",
    tests: [races, histories],
  },
  {
    safeguard: 'what is stored is what the text makes before it is served',
    file: 'functions/embedding/stored-chunks.ts',
    find: "          .where(({ ref }) => sql<boolean>`${fingerprintOfStored(parts)} = ${ref('planned.fingerprint')}`)\n",
    replace: '',
    tests: [races, histories],
  },
  {
    safeguard: 'the lease in the claim',
    file: 'shared/documents/transitions.ts',
    find: 'or ${isLeaseExpired} and ${hasAttemptsLeft}',
    replace: "or ${d.status} = 'processing' and ${hasAttemptsLeft}",
    tests: [races, histories],
  },
  {
    safeguard: 'the claim minds when the document is due',
    file: 'shared/documents/transitions.ts',
    find: '`(${isDue} or',
    replace: "`(${isManagedByService} and ${d.status} = 'pending' or",
    tests: [outcomes],
  },
  {
    safeguard: 'the claim leaves the client’s documents alone',
    file: 'shared/documents/transitions.ts',
    find: '`(${isDue} or',
    replace: "`(${d.status} = 'pending' and coalesce(${d.next_attempt_at}, now()) <= now() or",
    tests: [races, histories],
  },
  {
    safeguard: 'a shared request that fails is repeated for each document alone',
    file: 'functions/embedding/sharing.ts',
    find: 'group.length === 1 || concernsAll(error)',
    replace: 'group.length > 0 || concernsAll(error)',
    tests: [sharing],
  },
  {
    safeguard: 'documents of two organizations share no claim',
    file: 'functions/embedding/shared-requests.ts',
    find: 'group[0]!.organizationId === organizationId,',
    replace: 'group.length > 0 || organizationId.length > 0,',
    tests: [sharing],
  },
  {
    safeguard: 'one of two messages for a document claims it',
    file: 'functions/embedding/claim.ts',
    find: ' && each.lease_token === leaseToken',
    replace: '',
    tests: [sharing],
  },
  {
    safeguard: 'the claim minds the organization (first wall)',
    file: 'functions/embedding/claim.ts',
    find: "      .where('d.organization_id', '=', organizationId)\n      .where('d.id', 'in', ids)\n      .whereRef",
    replace: "      .where('d.id', 'in', ids)\n      .whereRef",
    tests: [races, histories],
  },
  {
    safeguard: 'old chunks go in the same commit',
    file: 'functions/embedding/stored-chunks.ts',
    find: ".whereRef('c.revision', '<>', 'completed.revision')",
    replace: ".where('c.revision', '<', 0)",
    tests: [revisions, histories],
  },
  {
    safeguard: 'chunks beyond the end of a shorter text go too',
    file: 'functions/embedding/stored-chunks.ts',
    find: "eb('c.chunk_index', '>=', eb.ref('completed.chunk_count')),",
    replace: '',
    tests: [revisions, histories],
  },
  {
    safeguard: 'vectors that an edit leaves without a chunk go',
    file: 'functions/embedding/stored-chunks.ts',
    find: '    ...deleteUnused(db, parts),\n',
    replace: '',
    tests: [revisions, histories],
  },
  {
    safeguard: 'vectors that a completion or restart of the client’s document leaves without a chunk go',
    file: 'shared/documents/update-document.ts',
    find: '...(isClients && { unused: deleteUnusedVectors(db, scope) }),',
    replace: '',
    tests: [revisions, histories],
  },
  {
    safeguard: 'of a client’s document either the draft or what was served goes',
    file: 'shared/documents/update-document.ts',
    find: '${isClients}::boolean',
    replace: 'false',
    tests: [revisions, histories],
  },
  {
    safeguard: 'vectors go with their chunks',
    file: 'shared/documents/chunks.ts',
    find: '    unused: deleteUnusedVectors(db, scope),\n',
    replace: '',
    tests: [revisions, histories],
  },
  {
    safeguard: 'a chunk says where it is in the text as it is now',
    file: 'functions/embedding/stored-chunks.ts',
    find: 'chunk_offsets: offsetsOf(plan.chunks)',
    replace: 'chunk_offsets: null',
    tests: [revisions],
  },
  {
    safeguard: 'search serves the active revision alone',
    file: 'shared/retrieval/searched.ts',
    find: '    sql`(${row.document_id} <> all(array(select ${d.id} from unserved d))\n      or ${row.revision} <= (select ${d.active_revision} from unserved d where ${d.id} = ${row.document_id}))`,\n',
    replace: '',
    tests: [races, histories],
  },
  {
    safeguard: 'up to 1,000 chunks are all compared',
    file: 'shared/retrieval/semantic/candidates.ts',
    find: 'const exactChunks = 1000',
    replace: 'const exactChunks = 0',
    tests: [nearest],
  },
  {
    safeguard: 'of more, all are compared that may be among the best',
    file: 'shared/retrieval/semantic/nearest-chunks.ts',
    find: 'const deviations = 3',
    replace: 'const deviations = -3',
    tests: [nearest],
  },
  {
    safeguard: 'what was remembered of an agent is not relied on',
    file: 'shared/retrieval/search.ts',
    find: '(expected.isLarge || !found.isLarge)',
    replace: 'true',
    tests: [nearest],
  },
  {
    safeguard: 'chunks that are not converted yet are found',
    file: 'shared/retrieval/search.ts',
    find: '(expected.hasUnconverted || !found.hasUnconverted)',
    replace: 'true',
    tests: ['test/api/round-trips.test.ts'],
  },
  {
    safeguard: 'ties are ordered',
    file: 'shared/retrieval/search.ts',
    find: "        .orderBy('document_id')\n        .orderBy('chunk_index')\n",
    replace: '',
    tests: [nearest],
  },
  {
    safeguard: 'vectors of questions are not shared between organizations',
    file: 'shared/retrieval/query-vector/query-vectors.ts',
    find: "`${organizationId} ${key.toString('base64')}`",
    replace: "`${organizationId.length} ${key.toString('base64')}`",
    tests: ['test/api/search-cache.test.ts'],
  },
  {
    safeguard: 'callers in a hurry do not open the circuit breaker for all',
    file: 'shared/retrieval/query-vector/embed-query.ts',
    find: 'Math.max(seconds, patienceSeconds)',
    replace: 'seconds',
    tests: ['test/api/search.test.ts'],
  },
  {
    safeguard: 'time is kept for the last statement of a search',
    file: 'shared/retrieval/answer.ts',
    find: 'deadline - reserve',
    replace: 'deadline',
    tests: ['test/api/search-deadline.test.ts'],
  },
  {
    safeguard: 'a probe of the circuit breaker is not hedged',
    file: 'shared/retrieval/query-vector/hedging.ts',
    find: 'if (!mayHedge()) return',
    replace: 'mayHedge()',
    tests: ['test/api/search-deadline.test.ts'],
  },
  {
    safeguard: 'a change makes a new revision',
    file: 'shared/documents/transitions.ts',
    find: "managed_by: 'service',\n  ...newRevision,",
    replace: "managed_by: 'service',\n  ...settled,",
    tests: [races, histories],
  },
  {
    safeguard: 'a takeover makes a new revision',
    file: 'shared/documents/transitions.ts',
    find: "managed_by: 'client', ...newRevision,",
    replace: "managed_by: 'client', ...settled,",
    tests: [races, histories],
  },
  {
    safeguard: 'the send after commit',
    file: 'shared/documents/update-document.ts',
    find: '(await enqueue({ db, queue }, work))',
    replace: 'false',
    tests: [outcomes],
  },
  {
    safeguard: 'the send after a create',
    file: 'shared/documents/create-document.ts',
    find: 'if (content !== null && !replayed)',
    replace: 'if (false)',
    tests: [outcomes],
  },
  {
    safeguard: 'a PATCH changes the document only as it was found',
    file: 'shared/documents/update-document.ts',
    find: ".where('d.version', '=', found.version)\n          .where('d.revision', '=', found.revision)",
    replace: '',
    tests: [races],
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
    file: 'functions/sweeper/resend.ts',
    find: '.where(isMessageLost)',
    replace: '.where(sql<boolean>`false`)',
    tests: [sweeper, histories],
  },
  {
    safeguard: 'the sweeper’s processing half',
    file: 'functions/sweeper/overdue.ts',
    find: 'moveAll(db, [isLeaseExpired, hasAttemptsLeft], recover)',
    replace: 'moveAll(db, [sql<boolean>`false`], recover)',
    tests: [sweeper, histories],
  },
  {
    safeguard: 'the sweeper leaves live leases alone',
    file: 'shared/documents/transitions.ts',
    find: "= 'processing' and ${d.lease_expires_at} < now())",
    replace: "= 'processing')",
    tests: [sweeper, races, histories],
  },
  {
    safeguard: 'five attempts are enough',
    file: 'functions/sweeper/overdue.ts',
    find: 'moveAll(db, [isLeaseExpired, hasAttemptsLeft], recover)',
    replace: 'moveAll(db, [isLeaseExpired], recover)',
    tests: [sweeper, histories],
  },
  {
    safeguard: 'a day is enough',
    file: 'shared/documents/transitions.ts',
    find: '${d.pending_since} < now() - make_interval(hours => ${maxPendingHours})',
    replace: 'false',
    tests: [sweeper],
  },
  {
    safeguard: 'organizations take turns',
    file: 'functions/sweeper/resend.ts',
    find: ".orderBy('lost.turn')\n",
    replace: '\n',
    tests: [sweeper],
  },
  {
    safeguard: 'what waits in line is not sent every minute',
    file: 'functions/sweeper/resend.ts',
    find: 'return Math.max(lostAfterSeconds, seconds)',
    replace: 'return Math.min(lostAfterSeconds, seconds)',
    tests: [sweeper],
  },
  {
    safeguard: 'a failed send of the sweeper does not count as sent',
    file: 'functions/sweeper/resend.ts',
    find: 'isSent[i] ? secondsToResend(document) : 0',
    replace: 'secondsToResend(document)',
    tests: [sweeper],
  },
  {
    safeguard: 'a failed send of a request or a worker does not count as sent',
    file: 'shared/documents/outbox.ts',
    find: 'sql<Date>`now()`',
    replace: 'sql<Date>`resend_at`',
    tests: [sweeper],
  },
  {
    safeguard: 'a sweeper that dies before it has sent has sent nothing',
    file: 'functions/sweeper/resend.ts',
    find: 'now() + make_interval(secs => ${lostAfterSeconds})',
    replace: "now() + interval '1 day'",
    tests: [sweeper],
  },
  {
    safeguard: 'the sweeper’s news of a send gives way to a worker’s',
    file: 'functions/sweeper/resend.ts',
    find: ".whereRef('d.resend_at', '=', 'tried.acquired')\n",
    replace: '\n',
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
    file: 'functions/sweeper/resend.ts',
    find: 'failuresInRow >= sendsAtOnce || ',
    replace: '',
    tests: [hanging],
  },
  {
    safeguard: 'a sweep stops sending when its time is nearly up',
    file: 'functions/sweeper/resend.ts',
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
    safeguard: 'a scheduled retry counts no attempt',
    file: 'functions/embedding/outcome.ts',
    find: "(counts === 'attempt' ? 0 : 1)",
    replace: '0',
    tests: [outcomes, histories],
  },
  {
    safeguard: 'the circuit breaker on a rejected key',
    file: 'shared/embedding/openai-embedder.ts',
    find: 'if (error.isOfSettings) return open(settingsPauses, error)',
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
    safeguard: 'a model whose vectors have another length is no busy provider',
    file: 'shared/embedding/openai-embedder.ts',
    find: 'vectorsOf(other === undefined ? body : await shortened(other), texts.length)',
    replace: 'vectorsOf(body, texts.length)',
    tests: [provider, outcomes],
  },
  {
    safeguard: 'addresses are scrubbed from messages',
    file: 'shared/embedding/openai-error.ts',
    find: ".replaceAll(addresses, '…')",
    replace: '',
    tests: [provider],
  },
  {
    safeguard: 'a document that waits says why',
    file: 'shared/documents/transitions.ts',
    find: '  waiting_reason: reason,\n',
    replace: '',
    tests: [waiting],
  },
  {
    safeguard: 'a document that has ended or begins anew waits no longer',
    file: 'shared/documents/transitions.ts',
    find: 'const noWait = { next_attempt_at: null, waiting_reason: null }',
    replace: 'const noWait = { next_attempt_at: null }',
    tests: [histories],
  },
  {
    safeguard: 'each claim is counted once',
    file: 'shared/documents/transitions.ts',
    find: '  tries: sql<number>`${d.tries} + ${isNewClaim(leaseToken)}`,\n',
    replace: '',
    tests: [waiting, histories],
  },
  {
    safeguard: 'If-None-Match sees that a document waits no longer',
    file: 'infra/migrations/0011_waiting_edits_searchable.ts',
    find: 'old.error_message, old.waiting_reason)',
    replace: 'old.error_message, new.waiting_reason)',
    tests: [waiting, histories],
  },
  {
    safeguard: 'If-Match minds what clients edit, not what the pipeline does',
    file: 'infra/migrations/0011_waiting_edits_searchable.ts',
    find: "or new.managed_by = 'client' and (old.status",
    replace: 'or (old.status',
    tests: [tags, histories],
  },
  {
    safeguard: 'If-Match minds the client’s own chunks',
    file: 'infra/migrations/0011_waiting_edits_searchable.ts',
    find: "\n      or new.managed_by = 'client' and (old.status, old.chunk_count) is distinct from (new.status, new.chunk_count))",
    replace: ')',
    tests: [tags, histories],
  },
  {
    safeguard: 'If-Match is compared in the statement that deletes',
    file: 'shared/documents/documents.ts',
    find: '.where(isUnedited)',
    replace: '',
    tests: [tags, retries],
  },
  {
    safeguard: 'the searchable chunks are counted when others are served',
    file: 'infra/migrations/0011_waiting_edits_searchable.ts',
    find: '(old.active_revision is distinct from new.active_revision\n      or new.managed_by',
    replace: '(new.managed_by',
    tests: [searchable, histories],
  },
  {
    safeguard: 'the searchable chunks are counted when more are served',
    file: 'infra/migrations/0011_waiting_edits_searchable.ts',
    find: "\n      or new.managed_by = 'client' and new.active_revision = new.revision and old.chunk_count <> new.chunk_count)",
    replace: ')',
    tests: [searchable, histories],
  },
  {
    safeguard: 'the searchable chunks of rows from before are counted as they are read',
    file: 'shared/documents/served-chunks.ts',
    find: '${isServed} and ${hasVector}))`',
    replace: '${hasVector}))`',
    tests: [searchable],
  },
  {
    safeguard: 'secrets are scrubbed from messages',
    file: 'shared/embedding/openai-error.ts',
    find: ".replaceAll(apiKey.length < minKeyLength ? '\\0' : apiKey, '…')",
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
    safeguard: 'vectors of unchanged texts are reused',
    file: 'functions/embedding/revision-plan.ts',
    find: 'if (embedded.has(vectorId)) reused.push(chunk)',
    replace: 'if (false) reused.push(chunk)',
    tests: [costs, revisions],
  },
  {
    safeguard: 'another model embeds anew',
    file: 'functions/embedding/revision-plan.ts',
    find: '`${model}\\n${text}`',
    replace: 'text',
    tests: [costs],
  },
  {
    safeguard: 'a chunk that did not change stays as it is',
    file: 'functions/embedding/revision-plan.ts',
    find: '(isServed || chunk.revision === claim.revision)',
    replace: 'chunk.revision === claim.revision',
    tests: [revisions],
  },
  {
    safeguard: 'a chunk that stays has the same text at the same index',
    file: 'functions/embedding/revision-plan.ts',
    find: 'chunk.vector_id === vectorIds[chunk.chunk_index]',
    replace: 'vectorIds.includes(chunk.vector_id)',
    tests: [revisions, histories],
  },
  {
    safeguard: 'revisions that nobody needs are dropped',
    file: 'functions/embedding/revision-plan.ts',
    find: 'else if (!isServed) stale.push(chunk)',
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
    safeguard: 'an object in the OpenAPI document may have the fields that it does not name',
    file: 'infra/openapi/json-schema.ts',
    find: "if (tidied.type === 'object' && !tidied.properties) tidied.additionalProperties ??= true",
    replace: '',
    tests: ['test/api/openapi.test.ts'],
  },
  {
    safeguard: 'examples of problems are real answers',
    file: 'shared/http/errors.ts',
    find: 'detail: error.message,',
    replace: 'detail: title,',
    tests: ['test/api/examples.test.ts'],
  },
  {
    safeguard: 'two keys in one request must be the same',
    file: 'shared/http/api-keys.ts',
    find: 'own && token && own !== token',
    replace: 'own && token && own === token && own === "never"',
    tests: [keys],
  },
  {
    safeguard: 'an empty Idempotency-Key is not ignored',
    file: 'shared/http/api.ts',
    find: ".replace(/^$/, ' ')",
    replace: '',
    tests: [inputFaults],
  },
  {
    safeguard: 'contents that are left out are not read',
    file: 'shared/documents/documents.ts',
    find: 'const content = exclude ? noContent : ',
    replace: 'const content = exclude === undefined ? sql<string | null>`${d.content}` : ',
    tests: ['test/api/exclude.test.ts'],
  },
  {
    safeguard: 'documents are counted for agents that are shown, not for all',
    file: 'shared/organizations/agents.ts',
    find: "        .limit(limit)\n        .as('newest')",
    replace: "        .limit(limit + 1000)\n        .as('newest')",
    tests: [plans],
  },
  {
    safeguard: 'only allowed origins are told that they may read a response',
    file: 'infra/local/gateway/cors.ts',
    find: '|| !allows(allowed, origin)',
    replace: '',
    tests: ['test/local/gateway.test.ts'],
  },
  {
    safeguard: 'a signature is compared',
    file: 'functions/platforms/signature.ts',
    find: "!timingSafeEqual(Buffer.from(digest, 'hex'), expected)",
    replace: "!timingSafeEqual(Buffer.from(digest, 'hex'), Buffer.from(digest, 'hex')) && expected",
    tests: [retell],
  },
  {
    safeguard: 'a signature ends after five minutes',
    file: 'functions/platforms/signature.ts',
    find: 'if (Math.abs(now - Number(time)) > validMilliseconds)',
    replace: 'if (Number(time) - now > validMilliseconds)',
    tests: [retell],
  },
  {
    safeguard: 'a signature of the future is none',
    file: 'functions/platforms/signature.ts',
    find: 'if (Math.abs(now - Number(time)) > validMilliseconds)',
    replace: 'if (now - Number(time) > validMilliseconds)',
    tests: [retell],
  },
  {
    safeguard: 'a signature is of the body as it arrived',
    file: 'functions/platforms/app.ts',
    find: 'requireSignature(await sentBody(c)',
    replace: 'await sentBody(c)\n          if (secret) requireSignature(JSON.stringify(body)',
    tests: [retell],
  },
  {
    safeguard: 'a secret is that of the agent',
    file: 'functions/platforms/signing-secrets.ts',
    find: "\n      .where('agent_id', '=', agentId)",
    replace: '',
    tests: [retell],
  },
  {
    safeguard: 'a secret is not kept for another agent',
    file: 'functions/platforms/signing-secrets.ts',
    find: 'const cacheKey = `${organizationId} ${agentId}`',
    replace: "const cacheKey = [organizationId, agentId].slice(2).join(' ')",
    tests: [retell],
  },
  {
    safeguard: 'a result for Vapi is on a single line',
    file: 'functions/platforms/vapi.ts',
    find: 'hits.map((hit) => onOneLine(passageOf(hit)))',
    replace: 'hits.map((hit) => onOneLine(passageOf(hit)) && passageOf(hit))',
    tests: [vapi],
  },
  {
    safeguard: 'Vapi is told of a failure in a response that it reads',
    file: 'functions/platforms/vapi.ts',
    find: 'return { documents: [], error: vapi.explain(error) }',
    replace: 'throw error',
    tests: [vapi],
  },
  {
    safeguard: 'only the caller’s turns are asked',
    file: 'functions/platforms/vapi.ts',
    find: "    .filter(({ role }) => role === 'user')\n",
    replace: '',
    tests: [vapi],
  },
  {
    safeguard: 'a question keeps its topic through several fragments',
    file: 'functions/platforms/question.ts',
    find: 'terms = termsOfTurn',
    replace: 'terms = minTerms',
    tests: ['test/platforms/question.test.ts'],
  },
  {
    safeguard: 'what runs in parallel counts once in Server-Timing',
    file: 'shared/retrieval/timing.ts',
    find: 'if (--running[part] === 0)',
    replace: 'if (--running[part] >= 0)',
    tests: [vapi],
  },
  {
    safeguard: 'an answer to a platform has whole passages',
    file: 'functions/platforms/answer-text.ts',
    find: 'count > 0 ? passages.slice(0, count) : ',
    replace: '',
    tests: [retell, 'test/platforms/answer-text.test.ts'],
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
    file: 'shared/documents/create-document.ts',
    find: 'if (outcome.replayed && results.surviving.length === 0)',
    replace: 'if (false)',
    tests: [retries, histories],
  },
  {
    safeguard: 'old idempotency keys are dropped until none is left',
    file: 'functions/sweeper/purging.ts',
    find: 'numDeletedRows < rowsPerBatch',
    replace: 'numDeletedRows <= rowsPerBatch',
    tests: [sweeper],
  },
  {
    safeguard: 'a claim whose answer was lost is repeated',
    file: 'shared/documents/transitions.ts',
    find: ' or ${d.lease_token} = ${leaseToken})',
    replace: ')',
    tests: [races],
  },
  {
    safeguard: 'a repeated claim is one attempt',
    file: 'shared/documents/transitions.ts',
    find: '(${d.lease_token} is distinct from ${leaseToken})::int',
    replace: '1',
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
    find: 'else if (error instanceof Unavailable) await requeueOnDisconnect(job, error)',
    replace: 'else if (error instanceof Unavailable) throw error',
    tests: [races],
  },
  {
    safeguard: 'the message of a document that was requeued, though the response was lost',
    file: 'functions/embedding/outcome.ts',
    find: "eb.and({ 'd.status': 'pending', 'd.attempt': attempt, 'd.retry_count': retries })",
    replace: 'eb.lit(false)',
    tests: [races],
  },
  {
    safeguard: 'terms go with their chunks',
    file: 'infra/migrations/0009_terms.ts',
    find: 'where t.organization_id = d.organization_id and t.agent_id',
    replace: 'where false and t.agent_id',
    tests: [revisions],
  },
  {
    safeguard: 'a worker stores the terms of what it embeds',
    file: 'functions/embedding/stored-chunks.ts',
    find: '      terms: insertTerms(',
    replace: '      ...false && insertTerms(',
    tests: [revisions],
  },
  {
    safeguard: 'the fence at storing terms',
    file: 'functions/embedding/stored-chunks.ts',
    find: 'insertTerms(db, await termsOf(chunks), isHeld(parts))',
    replace: 'insertTerms(db, await termsOf(chunks), sql<boolean>`true`)',
    tests: [races, histories],
  },
  {
    safeguard: 'a search by words finds served chunks alone',
    file: 'shared/retrieval/searched.ts',
    find: 'sql`(${row.document_id} <> all(',
    replace: 'sql`(${sql.lit(row !== c)} or ${row.document_id} <> all(',
    tests: [keyword, histories],
  },
  {
    safeguard: 'a hit of the words alone has its vector looked up once, by key',
    file: 'shared/retrieval/fusion.ts',
    find: 'using (${sql.join(key)}) offset ${fence}) n offset ${fence}) n`',
    replace: 'using (${sql.join(key)})) n) n`',
    tests: [plans],
  },
  {
    safeguard: 'a filter by metadata looks a chunk with the words up by key',
    file: 'shared/retrieval/searched.ts',
    find: 'and ${hasMetadata(searched)} offset ${fence})',
    replace: 'and ${hasMetadata(searched)})',
    tests: [plans],
  },
  {
    safeguard: 'chunks that an older release stored after the backfill get their terms',
    file: 'infra/migrations/index-terms.ts',
    find: ' or exists (select ${chunksOf(',
    replace: ' or false and exists (select ${chunksOf(',
    tests: [migrations],
  },
  {
    safeguard: 'a row of a table says what its columns are',
    file: 'functions/embedding/chunking/chunker.ts',
    find: 'content: context.text + this.#text.slice(start, end)',
    replace: 'content: this.#text.slice(start, end)',
    tests: ['test/pipeline/chunker.test.ts'],
  },
  {
    safeguard: 'a long document lets its batch-mates have their turn',
    file: 'shared/steps.ts',
    find: 'if (performance.now() < end) continue',
    replace: 'if (end > 0) continue',
    tests: ['test/pipeline/chunker-time.test.ts'],
  },
  {
    safeguard: 'MCP lists no tool while search serves nothing',
    file: 'functions/mcp/app.ts',
    find: 'tools: isServing ? tools : []',
    replace: 'tools: isServing || tools.length > 0 ? tools : []',
    tests: mcp,
  },
  {
    safeguard: 'a call of a tool while search serves nothing says so',
    file: 'functions/mcp/tools.ts',
    find: 'if (data.length === 0) await',
    replace: 'if (data.length < 0) await',
    tests: mcp,
  },
  {
    safeguard: 'MCP needs the permission to read',
    file: 'functions/mcp/app.ts',
    find: "permission: 'kb:read'",
    replace: "permission: 'kb:write'",
    tests: mcp,
  },
  {
    safeguard: 'trouble of a tool is a tool error, which the model reads',
    file: 'functions/mcp/tools.ts',
    find: 'return failure(messageFor(error, onUnexpected))',
    replace: 'throw error',
    tests: mcp,
  },
  {
    safeguard: 'what a tool tells the model has no internals',
    file: 'functions/mcp/tools.ts',
    find: 'unavailable : unexpected',
    replace: 'unavailable : String(error)',
    tests: mcp,
  },
  {
    safeguard: 'an agent of others is 404 to a call of a tool',
    file: 'functions/mcp/app.ts',
    find: 'if (refusal instanceof ApiError) throw refusal',
    replace: '',
    tests: mcp,
  },
  {
    safeguard: 'fetch reads the documents of the agent alone (both walls stand for other organizations)',
    file: 'functions/mcp/passages.ts',
    find: 'where ${isDocument({ ...scope, documentId })}',
    replace: 'where ${d.organization_id} = ${scope.organizationId} and ${d.id} = ${documentId}',
    tests: mcp,
  },
  {
    safeguard: 'fetch reads what search serves',
    file: 'functions/mcp/passages.ts',
    find: ' and ${isServed}\n',
    replace: '\n',
    tests: mcp,
  },
  {
    safeguard: 'what fetch reads is bounded',
    file: 'functions/mcp/passages.ts',
    find: 'is_wanted or bytes <= ${maxBytes}',
    replace: 'is_wanted or bytes > 0',
    tests: mcp,
  },
  {
    safeguard: 'the row-level security of MCP (second wall)',
    file: 'infra/migrations/0013_mcp_role.ts',
    find: "using (organization_id = (select nullif(current_setting('cuecard.organization_id', true), '')::uuid))",
    replace: 'using (true)',
    tests: ['test/database/roles.test.ts'],
  },
  {
    safeguard: 'no stream of MCP stays open',
    file: 'functions/mcp/server.ts',
    find: "message.method === 'subscriptions/listen'",
    replace: "message.method === 'tools/listen'",
    tests: mcp,
  },
  {
    safeguard: 'a late answer of MCP comes before clients stop waiting',
    file: 'functions/mcp/timeouts.ts',
    find: 'databaseSeconds: 4, graceMilliseconds: 1_000',
    replace: '',
    tests: mcp,
  },
  {
    safeguard: 'requests mind the organization (first wall)',
    file: 'shared/database/scope.ts',
    find: '`(${d.organization_id} = ${organizationId} and ${d.agent_id}',
    replace: '`(${d.agent_id}',
    tests: [histories],
  },
  {
    safeguard: 'only a file of the version in its address is kept for good',
    file: 'functions/reference/app.ts',
    find: "version === filesVersion ? 'current' : 'other'",
    replace: "'current'",
    tests: [reference],
  },
  {
    safeguard: 'the reference page runs its own scripts alone',
    file: 'functions/reference/page.ts',
    find: "`script-src 'self'`",
    replace: "`script-src 'self' 'unsafe-inline'`",
    tests: [reference],
  },
  {
    safeguard: 'an apostrophe does not end the body of a sample for curl',
    file: 'functions/reference/browser/samples.js',
    find: ".replaceAll(\"'\", `'\\\\''`)",
    replace: '',
    tests: ['test/api/samples.test.ts'],
  },
]

const root = join(import.meta.dirname, '..')
const copy = mkdtempSync(join(tmpdir(), 'cuecard-mutations-'))
const wanted = new RegExp(process.argv[2] ?? '')
let failures = 0

for (const folder of ['functions', 'shared', 'infra', 'test', 'package.json', 'package-lock.json', 'tsconfig.json'])
  cpSync(join(root, folder), join(copy, folder), { recursive: true })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

for (const { safeguard, file, find, replace, tests, needsServer } of mutations.filter((each) =>
  wanted.test(each.safeguard),
)) {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(find).length !== 2) {
    failures++
    console.log(`✗ ${safeguard}: its text is not found once in ${file}`)
    continue
  }
  if (needsServer && !isOnServer) {
    console.log(`– ${safeguard}: seen on the server of DATABASE_URL alone`)
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
      env: {
        ...process.env,
        SIMULATION_HISTORIES: process.env.SIMULATION_HISTORIES ?? '150',
        ...(thoroughOnly.some((file) => test.endsWith(file)) && { TEST_THOROUGH: '1' }),
      },
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
