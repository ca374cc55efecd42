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
const observability = 'test/observability.test.ts'
const limits = 'test/api/limits.test.ts'
const requestLimits = 'test/limits/requests.test.ts'
const tokenLimits = 'test/limits/tokens.test.ts'
const unknownKeys = 'test/limits/unknown-keys.test.ts'
const documentLimits = 'test/limits/documents.test.ts'
const deleted = 'test/api/deleted.test.ts'
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
const ofFiles = {
  contract: 'test/files/contract.test.ts',
  extraction: 'test/files/extraction.test.ts',
  races: 'test/files/races.test.ts',
}
const roles = 'test/database/roles.test.ts'
const histories = 'test/simulation/histories-1.test.ts'
const release = 'test/local/release-work.test.ts'
const localDatabase = 'test/local/database.test.ts'
const steady = 'test/faults/steady-clock.test.ts'
const admin = 'test/admin.test.ts'
const settings = 'test/local/settings.test.ts'
const audit = 'test/operators/audit.test.ts'
const erasure = 'test/operators/erasure.test.ts'
const files = 'test/local/files.test.ts'
const bucket = 'test/files/bucket.test.ts'
const extractedText = ['test/files/extracted-text.test.ts']
const hostile = ['test/files/hostile.test.ts']
const readerProcess = ['test/files/reader-process.test.ts']
const filesOnAws = 'test/aws/queues-and-files.test.ts'
const deadline = 'test/api/search-deadline.test.ts'
const exporting = 'test/operators/export.test.ts'
const gateway = 'test/local/gateway.test.ts'
const dashboardSession = 'test/dashboard/session.test.ts'
const dashboardRoutes = 'test/dashboard/routes.test.ts'
const dashboardSettings = 'test/dashboard/settings.test.ts'
const dashboardBrowser = 'test/dashboard/browser.test.ts'
const documents = 'test/dashboard/documents.test.ts'
const documentText = 'test/dashboard/document-text.test.ts'
const documentPassages = 'test/dashboard/document-passages.test.ts'
const documentsInBrowser = 'test/dashboard/browser/documents.test.ts'
const questionLog = 'test/retrieval/question-log.test.ts'
const explanation = 'test/retrieval/explanation.test.ts'
const unanswered = 'test/dashboard/unanswered.test.ts'
const canaries = 'test/attack/canaries.test.ts'
const pooler = 'test/operators/pooler.test.ts'
const deploy = 'test/aws/deploy.test.ts'
const watch = 'test/aws/watch.test.ts'
const canary = 'test/canary.test.ts'

const mutations: Mutation[] = [
  {
    safeguard: 'an install script that is not named fails the check of the supply chain',
    file: 'infra/supply-chain/rules.ts',
    find: 'allowed[name] !== true',
    replace: 'allowed[name] === false',
    tests: ['test/aws/supply-chain.test.ts'],
  },
  {
    safeguard: 'the preflight counts the executions that others have reserved',
    file: 'infra/preflight/concurrency.ts',
    find: 'reserved + others + workers',
    replace: 'reserved + workers',
    tests: ['test/operators/preflight.test.ts'],
  },
  {
    safeguard: 'a stage is deployed to its own account alone',
    file: 'infra/aws/app.ts',
    find: 'env: { account, region }, ',
    replace: '',
    tests: ['test/aws/account.test.ts'],
  },
  {
    safeguard: 'workers change when the shift of what serves is over',
    file: 'infra/aws/release/aliases.ts',
    find: 'serving.map((name) => aliases[name]),',
    replace: 'answering.map((name) => aliases[name]),',
    tests: ['test/aws/release.test.ts'],
  },
  {
    safeguard: 'the alarms of a release watch its own version',
    file: 'infra/aws/monitoring/release-alarms.ts',
    find: 'ExecutedVersion: version.version,',
    replace: '',
    tests: ['test/aws/release.test.ts'],
  },
  {
    safeguard: 'requests reach a version that is shifted, not the latest code',
    file: 'infra/aws/stack.ts',
    find: 'createHttpApi(this, name, aliases, settings)',
    replace: 'createHttpApi(this, name, functions, settings)',
    tests: ['test/aws/release.test.ts'],
  },
  {
    safeguard: 'trouble in an answer with 200 is counted',
    file: 'functions/platforms/app.ts',
    find: 'report({ AdapterErrors: 1 })',
    replace: '',
    tests: [observability],
  },
  {
    safeguard: 'the canary’s alarm rings within ten minutes',
    file: 'infra/wiring.ts',
    find: 'timeoutSeconds: 120, everySeconds: 300',
    replace: 'timeoutSeconds: 120, everySeconds: 360',
    tests: [watch],
  },
  {
    safeguard: 'an alarm on silence does not look for older values first',
    file: 'infra/aws/monitoring/metric.ts',
    find: "expression: 'FILL(m0, 0)'",
    replace: "expression: 'm0'",
    tests: [watch],
  },
  {
    safeguard: 'a canary that fails leaves no document behind',
    file: 'functions/canary/journey.ts',
    find: '    await cleanUp(journey, path)\n',
    replace: '',
    tests: [canary],
  },
  {
    safeguard: 'the canary sees that search finds nothing',
    file: 'functions/canary/journey.ts',
    find: '!found.body.data.some((hit) => hit.document_id === id)',
    replace: 'false',
    tests: [canary],
  },
  {
    safeguard: 'the canary deletes no documents but its own',
    file: 'functions/canary/journey.ts',
    find: 'each.title === title && ',
    replace: '',
    tests: [canary],
  },
  {
    safeguard: 'the canary touches no agent but its own',
    file: 'functions/canary/canary.ts',
    find: 'body.data.find(({ name }) => name === ownName)',
    replace: 'body.data[0]',
    tests: [canary],
  },
  {
    safeguard: 'an organization past its rate is refused',
    file: 'shared/http/endpoint.ts',
    find: '      meter.admit()\n',
    replace: '',
    tests: [requestLimits],
  },
  {
    safeguard: 'an instance hears what the others let in',
    file: 'shared/limits/request-meter.ts',
    find: '(counted ? hear(counted as Counted) : keep())',
    replace: 'void counted',
    tests: [requestLimits],
  },
  {
    safeguard: 'what could not be told is kept for the next statement',
    file: 'shared/limits/request-meter.ts',
    find: '(counted ? hear(counted as Counted) : keep())',
    replace: '(counted ? hear(counted as Counted) : undefined)',
    tests: [requestLimits],
    needsServer: true,
  },
  {
    safeguard: 'tokens are reserved before the provider is called',
    file: 'functions/embedding/embed-missing.ts',
    find: '      await reserve(call)\n',
    replace: '',
    tests: [tokenLimits],
  },
  {
    safeguard: 'tokens of a call that failed are released',
    file: 'functions/embedding/embed-missing.ts',
    find: '      await release(call)\n',
    replace: '',
    tests: [tokenLimits],
  },
  {
    safeguard: 'a document that waits for the next day is not late',
    file: 'shared/documents/transitions.ts',
    find: '  pending_since: fromNow(afterSeconds),\n',
    replace: '',
    tests: [tokenLimits],
  },
  {
    safeguard: 'a question past the tokens of the day gets no vector',
    file: 'shared/retrieval/answer.ts',
    find: '    meter.requireTokens()\n',
    replace: '',
    tests: [tokenLimits],
  },
  {
    safeguard: 'unknown keys are looked up only so often',
    file: 'shared/http/api-keys.ts',
    find: '      lookups.take()\n',
    replace: '',
    tests: [unknownKeys],
  },
  {
    safeguard: 'a key that is known is served during a flood of others',
    file: 'shared/http/api-keys.ts',
    find: 'if (!cached) requireLookup(cacheKey)',
    replace: 'requireLookup(cacheKey)',
    tests: [unknownKeys],
  },
  {
    safeguard: 'a retry past the limit of the pipeline is refused as one',
    file: 'shared/documents/update-document.ts',
    find: 'await changing.catch(rejectPastPipeline)',
    replace: 'await changing',
    tests: [documentLimits],
  },
  {
    safeguard: 'no setting of a transaction outlives it in a session',
    file: 'shared/database/database.ts',
    find: "set_config('statement_timeout', $1, true)",
    replace: "set_config('statement_timeout', $1, false)",
    tests: [pooler],
  },
  {
    safeguard: 'the organization of a transaction does not outlive it in a session',
    file: 'shared/database/database.ts',
    find: "set_config('cuecard.organization_id', $2, true)",
    replace: "set_config('cuecard.organization_id', $2, false)",
    tests: [pooler],
  },
  {
    safeguard: 'a rollback of a deploy needs no database',
    file: 'infra/aws/migrations.ts',
    find: 'executeOnHandlerChange: false',
    replace: 'executeOnHandlerChange: true',
    tests: [deploy],
  },
  {
    safeguard: 'chunks deleted under another agent leave the document its vectors',
    file: 'shared/documents/served-chunks.ts',
    find: ".where(({ exists, selectFrom }) => exists(selectFrom('documents as d').select('d.id').where(isDocument(scope))))",
    replace: '',
    tests: ['test/attack/tenants.test.ts'],
  },
  {
    safeguard: 'a message that is not ours is not repeated in the log',
    file: 'functions/embedding/consumer.ts',
    find: "log.error('message_unreadable', { message_id: record.messageId })",
    replace: "log.error('message_unreadable', { message_id: record.messageId, body: record.body })",
    tests: [canaries],
  },
  {
    safeguard: 'a key in a path is not in the log',
    file: 'shared/http/api.ts',
    find: ".replaceAll(/cue_\\w+/g, 'cue_…')",
    replace: '',
    tests: [canaries],
  },
  {
    safeguard: 'who tries a document again that has no content any more is led to its page',
    file: 'functions/dashboard/documents/action-screens.ts',
    find: " && !isError(error, 'invalid_transition')",
    replace: '',
    tests: ['test/attack/found.test.ts'],
  },
  {
    safeguard: 'what Postgres cannot store is refused before it is asked',
    file: 'shared/http/input/json-body.ts',
    find: "text.includes('\\\\u') && ",
    replace: "text.includes('\\\\x') && ",
    tests: ['test/attack/fuzz/operations.test.ts'],
  },
  {
    safeguard: 'a document has a place however little its passages have of a question',
    file: 'shared/retrieval/semantic/candidates.ts',
    find: 'near.examined ? inReach.union(examinedCandidates(db, near, near.examined)) : inReach',
    replace: 'inReach',
    tests: [explanation],
  },
  {
    safeguard: 'a place among more passages than are compared does not pass for exact',
    file: 'shared/retrieval/explanation/standing.ts',
    find: 'isExact: !is_large || (place !== null && place <= surePlaces)',
    replace: 'isExact: true',
    tests: [explanation],
  },
  {
    safeguard: 'what is tried out in the dashboard is not kept',
    file: 'functions/dashboard/ask/trial.ts',
    find: 'logsQuestions: false',
    replace: 'logsQuestions: true',
    tests: ['test/dashboard/ask.test.ts'],
  },
  {
    safeguard: 'a group of questions is deleted as the page has shown it',
    file: 'functions/dashboard/unanswered/log.ts',
    find: ".$if(last !== undefined, (query) => query.where('q.id', '<=', last!))",
    replace: '',
    tests: [unanswered],
  },
  {
    safeguard: 'a key that platforms are given reads no questions of callers',
    file: 'functions/dashboard/unanswered/screen.ts',
    find: "      base,\n      screen({ permission: 'kb:write'",
    replace: "      base,\n      screen({ permission: 'kb:read'",
    tests: [unanswered],
  },
  {
    safeguard: 'questions are deleted after 30 days',
    file: 'functions/sweeper/purge-questions.ts',
    find: "interval '30 days'",
    replace: "interval '35 days'",
    tests: [questionLog],
  },
  {
    safeguard: 'questions are kept of the own organization alone',
    file: 'infra/migrations/0017_question_log.ts',
    find: 'with check (${isOwn})',
    replace: 'with check (true)',
    tests: [questionLog],
  },
  {
    safeguard: 'the log of questions takes a limited number an hour',
    file: 'infra/migrations/0017_question_log.ts',
    find: 'limit 200) q) >= 200 then',
    replace: 'limit 200) q) > 200 then',
    tests: [questionLog],
  },
  {
    safeguard: 'no question is kept once the organization has switched it off, whatever an instance believes',
    file: 'infra/migrations/0017_question_log.ts',
    find: 'if not (select log_questions from organizations where id = new.organization_id) then',
    replace: 'if false then',
    tests: [questionLog],
  },
  {
    safeguard: 'a question that cannot be kept fails no answer',
    file: 'shared/retrieval/keep-question.ts',
    find: "log.warn('question_not_kept', {",
    replace: "if (error) throw error\n    log.warn('question_not_kept', {",
    tests: [questionLog],
  },
  {
    safeguard: 'the log of questions holds up no answer for long',
    file: 'shared/retrieval/answer.ts',
    find: 'Math.min(rest, maxLogMilliseconds)',
    replace: 'rest',
    tests: [questionLog],
  },
  {
    safeguard: 'the log of questions gets no more time than is left of a deadline',
    file: 'shared/retrieval/answer.ts',
    find: 'Math.min(rest, maxLogMilliseconds)',
    replace: 'maxLogMilliseconds',
    tests: [questionLog],
  },
  {
    safeguard: 'no question is kept, and no time spent on it, where the organization has not asked for it',
    file: 'shared/retrieval/answer.ts',
    find: 'if (!scope.logsQuestions || text === undefined) return found',
    replace: 'if (text === undefined) return found',
    tests: [questionLog],
  },
  {
    safeguard: 'an upload that is cancelled leaves no document',
    file: 'functions/dashboard/assets/upload.js',
    find: '  upload.abort?.()\n  dropDocument(upload)',
    replace: '  upload.abort?.()',
    tests: [documentsInBrowser],
  },
  {
    safeguard: 'a deletion is carried out as the page goes',
    file: 'functions/dashboard/assets/undo.js',
    find: 'if (!deletion.isSent) request(deletion)',
    replace: 'if (!deletion.isSent) Promise.resolve()',
    tests: [documentsInBrowser],
  },
  {
    safeguard: 'what was undone is not deleted',
    file: 'functions/dashboard/assets/undo.js',
    find: '!deletions.has(deletion.address) || ',
    replace: '',
    tests: [documentsInBrowser],
  },
  {
    safeguard: 'passages that leave a gap are not shown as a text',
    file: 'functions/dashboard/documents/stretches.ts',
    find: 'if (!isGapless) return undefined',
    replace: '',
    tests: [documentPassages],
  },
  {
    safeguard: 'a form with a fault stays as old as it is',
    file: 'functions/dashboard/documents/text-view.ts',
    find: 'typed.edits ?? document.edits',
    replace: 'document.edits',
    tests: [documentText],
  },
  {
    safeguard: 'an edit replaces nothing that was changed since',
    file: 'functions/dashboard/documents/text-screens.ts',
    find: 'origin, unedited(edits))',
    replace: 'origin)',
    tests: [documentText],
  },
  {
    safeguard: 'a deletion takes nothing that was changed since',
    file: 'functions/dashboard/documents/action-screens.ts',
    find: 'await deleteDocument(db, scope, match)',
    replace: 'await deleteDocument(db, scope)',
    tests: [documents],
  },
  {
    safeguard: 'a wildcard in a search of titles is a character',
    file: 'functions/dashboard/documents/overview.ts',
    find: "word.replaceAll(/[\\\\%_]/g, '\\\\$&')",
    replace: 'word',
    tests: [documents],
  },
  {
    safeguard: 'a list of documents is that of one agent of the organization',
    file: 'functions/dashboard/documents/overview.ts',
    find: '${d.organization_id} = ${organizationId} and ${d.agent_id} = ${agentId}',
    replace: '${d.organization_id} = ${organizationId}',
    tests: [documents],
  },
  {
    safeguard: 'dashboard: texts stand out from their ground',
    file: 'functions/dashboard/assets/dashboard.css',
    find: '--quiet: light-dark(#596371, #a0a9b6);',
    replace: '--quiet: light-dark(#8f98a6, #a0a9b6);',
    tests: [dashboardBrowser],
  },
  {
    safeguard: 'dashboard: row-level security stands before calls',
    file: 'infra/migrations/0016_dashboard.ts',
    find: 'on calls as restrictive to cuecard_dashboard using (${own})',
    replace: 'on calls as restrictive to cuecard_dashboard using (true)',
    tests: [roles],
  },
  {
    safeguard: 'dashboard: a form that is sent twice makes one key',
    file: 'shared/organizations/keys.ts',
    find: "eb.val(id).as('key')",
    replace: "eb.val(newId()).as('key')",
    tests: [dashboardSettings],
  },
  {
    safeguard: 'dashboard: a key does not outlive the one it is made with',
    file: 'functions/dashboard/settings/keys.ts',
    find: 'Math.min(chosen, keyExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY)',
    replace: 'Math.min(chosen, Number.POSITIVE_INFINITY)',
    tests: [dashboardSettings],
  },
  {
    safeguard: 'dashboard: a key is made of what one’s own may do',
    file: 'functions/dashboard/settings/keys.ts',
    find: "if (beyond) throw new ApiError('missing_permission', beyond)",
    replace: 'if (beyond) void ApiError',
    tests: [dashboardSettings],
  },
  {
    safeguard: 'dashboard: strings become elements through htmx alone',
    file: 'functions/dashboard/app.ts',
    find: `      requireTrustedTypesFor: ["'script'"],\n`,
    replace: '',
    tests: [dashboardRoutes, dashboardBrowser],
  },
  {
    safeguard: 'dashboard: a screen asks for its permission',
    file: 'functions/dashboard/screen.ts',
    find: "if (metadata.permission !== 'any' && !may(metadata.permission))",
    replace: "if (metadata.permission === 'any' && !may('kb:read'))",
    tests: [dashboardRoutes],
  },
  {
    safeguard: 'dashboard: forms of other pages are refused',
    file: 'functions/dashboard/app.ts',
    find: '  app.use(csrf({ origin: (origin, c) => origin === originOf(c.req) }))\n',
    replace: '',
    tests: [dashboardRoutes],
  },
  {
    safeguard: 'dashboard: signing out ends the session',
    file: 'functions/dashboard/session/sign-in.ts',
    find: 'if (session) await signOut(',
    replace: 'if (!session) await signOut(',
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: signing in leads nowhere else',
    file: 'functions/dashboard/session/return-path.ts',
    find: 'return url.pathname + url.search',
    replace: 'return sent!',
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: the cookie is secure but on a loopback host',
    file: 'functions/dashboard/session/cookies.ts',
    find: "origin?.protocol !== 'http:' || !loopback.test(origin.hostname)",
    replace: "origin?.protocol !== 'http:'",
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: no other site sends the cookie',
    file: 'functions/dashboard/session/cookies.ts',
    find: "sameSite: 'Strict'",
    replace: "sameSite: 'None'",
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: no script reads the cookie',
    file: 'functions/dashboard/session/cookies.ts',
    find: 'httpOnly: true',
    replace: 'httpOnly: false',
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: what cannot be a key costs the database nothing',
    file: 'functions/dashboard/session/sign-in.ts',
    find: 'if (!isWellFormed(key)) {',
    replace: "if (key === '') {",
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: an address of IPv6 is a whole network',
    file: 'shared/organizations/sessions.ts',
    find: 'when 6 then set_masklen(${ip}, 64)',
    replace: 'when 6 then set_masklen(${ip}, 128)',
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: who signs in is not counted as one who fails',
    file: 'shared/organizations/sessions.ts',
    find: 'set failures = ${a.failures} - 1',
    replace: 'set failures = ${a.failures}',
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: an address that fails too often waits, also with a valid key',
    file: 'shared/organizations/sessions.ts',
    find: 'and ${a.failures} <= ${maxFailures}`,',
    replace: '`,',
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: the token of a session is not in the database',
    file: 'shared/organizations/sessions.ts',
    find: "return createHash('sha256').update(token).digest()",
    replace: "return Buffer.from(token, 'base64url')",
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: a session ends after its time',
    file: 'infra/migrations/0016_dashboard.ts',
    find: 'where s.token_hash = $1 and s.expires_at > now()',
    replace: 'where s.token_hash = $1',
    tests: [dashboardSession],
  },
  {
    safeguard: 'dashboard: a session ends with its key',
    file: 'infra/migrations/0016_dashboard.ts',
    find: '        and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());',
    replace: '        and true;',
    tests: [dashboardSession],
  },
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
    safeguard: 'each Lambda that serves has executions of its own',
    file: 'infra/aws/functions.ts',
    find: '...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),',
    replace: '',
    tests: ['test/aws/concurrency.test.ts'],
  },
  {
    safeguard: 'an export waits for who reads it',
    file: 'infra/admin/commands/export.ts',
    find: 'Readable.from(toText(lines), { highWaterMark: 1 })',
    replace: 'await Array.fromAsync(toText(lines))',
    tests: [exporting],
  },
  {
    safeguard: 'a probe that says nothing is followed by another',
    file: 'shared/retrieval/query-vector/worthwhile-calls.ts',
    find: "if (kind === 'probe') breaker.onInconclusive()",
    replace: '',
    tests: [deadline],
  },
  {
    safeguard: 'callers in a hurry do not keep others from the provider',
    file: 'shared/retrieval/query-vector/worthwhile-calls.ts',
    find: 'milliseconds >= available - tolerance',
    replace: 'milliseconds > 0',
    tests: [deadline],
  },
  {
    safeguard: 'a provider that was too slow for the last questions is not asked by the next',
    file: 'shared/retrieval/query-vector/worthwhile-calls.ts',
    find: "|| !isFutile(available)) return 'call'",
    replace: "|| available > 0) return 'call'",
    tests: [deadline],
  },
  {
    safeguard: 'the extraction queue takes events from this stage’s bucket alone',
    file: 'infra/aws/files.ts',
    find: "ArnEquals: { 'aws:SourceArn': `arn:${stack.partition}:s3:::${bucketName}` },",
    replace: "ArnEquals: { 'aws:SourceArn': `arn:${stack.partition}:s3:::*` },",
    tests: [filesOnAws],
  },
  {
    safeguard: 'a file that S3 has kept is not taken for deleted',
    file: 'shared/files/bucket.ts',
    find: 'if (failed) throw',
    replace: 'if (!failed?.Key && failed) throw',
    tests: [bucket],
  },
  {
    safeguard: 'a file that has grown too large is not read into memory',
    file: 'shared/files/bucket.ts',
    find: 'if (ContentLength > maxBytes)',
    replace: 'if (ContentLength < 0)',
    tests: [files],
  },
  {
    safeguard: 'a file that a Lambda may not get is not taken for one that is not there',
    file: 'shared/files/bucket.ts',
    find: " && !message.includes('s3:GetObject')",
    replace: '',
    tests: [bucket],
  },
  {
    safeguard: 'a signed form expires',
    file: 'shared/files/bucket.ts',
    find: 'const uploadSeconds = 60 * 60',
    replace: 'const uploadSeconds = 24 * 60 * 60',
    tests: [files],
  },
  {
    safeguard: 'a form stores no file that is larger than was signed',
    file: 'shared/files/bucket.ts',
    find: "['content-length-range', 1, maxBytes]",
    replace: "['content-length-range', 1, 10 * maxBytes]",
    tests: [files],
  },
  {
    safeguard: 'a form stores a file under no key but the one that was signed',
    file: 'shared/files/bucket.ts',
    find: '{ bucket: name }, { key }, [',
    replace: "{ bucket: name }, ['starts-with', '$key', ''], [",
    tests: [files],
  },
  {
    safeguard: 'what no Request can be made of is not printed',
    file: 'shared/http/api.ts',
    find: "isHost(domainName) ? domainName : 'localhost'",
    replace: 'domainName',
    tests: [observability],
  },
  {
    safeguard: 'a header that no Request can have is not printed',
    file: 'shared/http/api.ts',
    find: '/[\\0\\r\\n]|[^\\0-\\x7f]/g',
    replace: '/[^\\0-\\x7f]/g',
    tests: [observability],
  },
  {
    safeguard: 'a path is logged in ASCII',
    file: 'shared/http/api.ts',
    find: 'new URL(c.req.url).pathname',
    replace: 'c.req.path',
    tests: [observability],
  },
  {
    safeguard: 'a body of any number of levels is refused before it is parsed',
    file: 'shared/json-levels.ts',
    find: 'if (at !== undefined) throw new TooManyLevels(at)',
    replace: '',
    tests: [limits],
  },
  {
    safeguard: 'what loses its parent while it is stored is answered as if that had never existed',
    file: 'shared/http/endpoint.ts',
    find: 'requireParents(error)\n',
    replace: '\n',
    tests: [deleted],
  },
  {
    safeguard: 'an empty list of agents is not one of a deleted organization',
    file: 'functions/agents/app.ts',
    find: 'if (agents.length === 0) await confirmKey()',
    replace: '',
    tests: [deleted],
  },
  {
    safeguard: 'an erasure revokes the keys before anything else',
    file: 'infra/admin/erasure/erase.ts',
    find: 'if (!subject.agentId) await revokeKeys(scoped, subject)',
    replace: '',
    tests: [erasure],
  },
  {
    safeguard: 'an organization’s rows stay until no instance accepts its keys',
    file: 'infra/admin/erasure/erase.ts',
    find: 'await untilKeysAreRejected()',
    replace: '',
    tests: [erasure],
  },
  {
    safeguard: 'an erasure takes an organization’s name as confirmation',
    file: 'infra/admin/erasure/confirm.ts',
    find: 'if (name !== typed)',
    replace: "if (name === 'never')",
    tests: [erasure],
  },
  {
    safeguard: 'an erasure deletes rows of the agent alone',
    file: 'infra/admin/erasure/delete-batch.ts',
    find: 'agentId && isOfAgent ? isOfAgent({ organizationId, agentId }) : ',
    replace: '',
    tests: [erasure],
  },
  {
    safeguard: 'an interrupted erasure continues with its counts',
    file: 'infra/admin/erasure/erasures.ts',
    find: "then ${eb.ref('erasures.counts')} else",
    replace: "then '{}' else",
    tests: [erasure],
  },
  {
    safeguard: 'an operator changes nothing without an open row in the record of actions',
    file: 'infra/migrations/0018_operators.ts',
    find: 'raise insufficient_privilege',
    replace: 'raise notice',
    tests: [audit],
  },
  {
    safeguard: 'an outcome in the record of actions is final',
    file: 'infra/migrations/0018_operators.ts',
    find: 'using (login = session_user and outcome is null) with check (outcome is not null)',
    replace: 'using (login = session_user)',
    tests: [audit],
  },
  {
    safeguard: 'names do not get into the record of actions',
    file: 'infra/admin/commands/action.ts',
    find: "new Set(['name', 'yesEraseName'])",
    replace: 'new Set()',
    tests: [audit],
  },
  {
    safeguard: 'an operator’s command for another server does not work on the local stand',
    file: 'infra/admin/connection.ts',
    find: 'if (url && url !== stand.server_url)',
    replace: "if (url === 'never')",
    tests: [admin],
  },
  {
    safeguard: 'what lasts seconds in memory is not kept for longer when the wall clock is set back',
    file: 'shared/steady-clock.ts',
    find: 'ahead += Math.max(0, step)',
    replace: 'ahead += step',
    tests: [steady],
  },
  {
    safeguard: 'Retry-After as a date is read by the clock of whoever sent it',
    file: 'shared/embedding/openai-error.ts',
    find: 'date.test(sentAt) ? Date.parse(sentAt) : Date.now()',
    replace: 'Date.now()',
    tests: [provider],
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
    file: 'shared/documents/outcome.ts',
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
    safeguard: 'the fence at handing over the text of a file',
    file: 'functions/extraction/hand-over.ts',
    find: "eb('d.lease_token', '=', lease.leaseToken)",
    replace: "eb('d.organization_id', '=', lease.organizationId)",
    tests: [ofFiles.races, histories],
  },
  {
    safeguard: 'the hand-over of a file’s text may be repeated',
    file: 'functions/extraction/hand-over.ts',
    find: "        eb.and({ 'd.status': 'pending', 'd.content_hash': contentHash, 'd.tries': 0 }),\n",
    replace: '',
    tests: [ofFiles.extraction],
  },
  {
    safeguard: 'a handed-over file is not taken for one that was requeued',
    file: 'shared/documents/outcome.ts',
    find: ", 'd.retry_count': retries, 'd.tries': claim.tries }",
    replace: ", 'd.retry_count': retries }",
    tests: [ofFiles.extraction],
  },
  {
    safeguard: 'failed attempts at a file’s text do not count against its embedding',
    file: 'shared/documents/transitions.ts',
    find: '  source_type: sourceType,\n  ...noLease,\n  ...zeroCounters,',
    replace: '  source_type: sourceType,\n  ...noLease,',
    tests: [ofFiles.extraction],
  },
  {
    safeguard: 'the embedding claims no file that awaits its text',
    file: 'functions/embedding/claim.ts',
    find: '      .where(sql<boolean>`not ${awaitsText}`)\n',
    replace: '',
    tests: [ofFiles.extraction],
  },
  {
    safeguard: 'the extraction claims nothing but files that await their text',
    file: 'functions/extraction/claim.ts',
    find: '      .where(awaitsText)\n',
    replace: '',
    tests: [ofFiles.races],
  },
  {
    safeguard: 'a retry extracts the text of a file again',
    file: 'shared/documents/update-document.ts',
    find: 'content_hash ? becomeText : awaitText',
    replace: 'content_hash ? becomeText : {}',
    tests: [ofFiles.contract, histories],
  },
  {
    safeguard: 'the text extracted from a file is another content when it is set',
    file: 'shared/documents/transitions.ts',
    find: '!document.is_file && patch.content_hash !== undefined',
    replace: 'patch.content_hash !== undefined',
    tests: [ofFiles.contract, histories],
  },
  {
    safeguard: 'a retry of a file is sent to the extraction',
    file: 'shared/documents/update-document.ts',
    find: 'const awaitsText = found.is_file && !content_hash',
    replace: 'const awaitsText = false',
    tests: [ofFiles.contract],
  },
  {
    safeguard: 'the sweeper sends a file that awaits its text to the extraction',
    file: 'functions/sweeper/resend.ts',
    find: 'awaitsText: awaits_text',
    replace: 'awaitsText: false',
    tests: [ofFiles.races],
  },
  {
    safeguard: 'a file that has not arrived costs no attempt',
    file: 'functions/extraction/extract-document.ts',
    find: 'requeue(db, claim, 0, null)',
    replace: "requeue(db, claim, 0, null, 'attempt')",
    tests: [ofFiles.extraction],
  },
  {
    safeguard: 'a file is waited for as long as it may arrive',
    file: 'functions/extraction/extract-document.ts',
    find: 'if (claim.isUploadOver)',
    replace: 'if (claim.revision > 0)',
    tests: [ofFiles.extraction, histories],
  },
  {
    safeguard: 'a file without any text is an error, not a completed document without chunks',
    file: 'functions/extraction/extracted-text.ts',
    find: '  if (!/[\\p{L}\\p{N}]/u.test(text)) return noText\n',
    replace: '',
    tests: [ofFiles.extraction],
  },
  {
    safeguard: 'the text of a file is kept without what Postgres cannot keep',
    file: 'functions/extraction/extracted-text.ts',
    find: "text.replaceAll('\\0', '').toWellFormed()",
    replace: 'text',
    tests: [ofFiles.extraction],
  },
  {
    safeguard: 'a file that no document names is deleted when it arrives',
    file: 'functions/extraction/extract-document.ts',
    find: 'if (notice.uploadedKey && notice.uploadedKey !== key)',
    replace: 'if (notice.uploadedKey === key && !key)',
    tests: [ofFiles.races],
  },
  {
    safeguard: 'a file that its document names is not deleted when it arrives',
    file: 'functions/extraction/extract-document.ts',
    find: 'if (notice.uploadedKey && notice.uploadedKey !== key)',
    replace: 'if (notice.uploadedKey)',
    tests: [ofFiles.races],
  },
  {
    safeguard: 'a file that could not be deleted is not forgotten',
    file: 'functions/sweeper/delete-files.ts',
    find: 'await bucket.delete(urls.map(keyOfUrl))',
    replace: 'await bucket.delete(urls.map(keyOfUrl)).catch(() => {})',
    tests: [ofFiles.races],
  },
  {
    safeguard: 'a file that may still arrive is deleted once more',
    file: 'functions/sweeper/delete-files.ts',
    find: ".where('source_url', 'in', urls).where('last_at', '<=', sql<Date>`now()`)",
    replace: ".where('source_url', 'in', urls)",
    tests: [ofFiles.races],
  },
  {
    safeguard: 'a deleted document leaves its file to the sweeper',
    file: 'infra/migrations/0015_files.ts',
    find: "    when (old.source_url like 's3://%') execute",
    replace: '    when (false) execute',
    tests: [ofFiles.contract, histories],
  },
  {
    safeguard: 'a document that becomes a text leaves its file to the sweeper',
    file: 'infra/migrations/0015_files.ts',
    find: "    when (old.source_url like 's3://%' and old.source_url is distinct from new.source_url)",
    replace: '    when (false)',
    tests: [ofFiles.contract, histories],
  },
  {
    safeguard: 'the extraction of a file cannot complete its document',
    file: 'infra/migrations/0015_files.ts',
    find: " with check (${own} and source_url is not null and status <> 'completed')",
    replace: '',
    tests: [roles],
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
    file: 'shared/deadline.ts',
    find: 'return await Promise.race([call(signal), expired])',
    replace: 'return await call(signal)',
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
    file: 'shared/documents/outcome.ts',
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
    safeguard: 'a redirect of the provider is not followed',
    file: 'shared/embedding/openai-embedder.ts',
    find: "redirect: 'manual',",
    replace: '',
    tests: [provider],
  },
  {
    safeguard: 'a response of the provider is read up to a bound',
    file: 'shared/embedding/bounded-body.ts',
    find: 'if (bytes > maxBytes) return undefined',
    replace: '',
    tests: [provider],
  },
  {
    safeguard: 'a wait that the provider asks for is bounded',
    file: 'shared/embedding/openai-error.ts',
    find: 'Math.min(maxRetryAfterSeconds, Math.max(0, seconds))',
    replace: 'seconds',
    tests: [provider],
  },
  {
    safeguard: 'texts are not repeated where others read it',
    file: 'shared/embedding/openai-error.ts',
    find: 'words && !isQuoting(words, call.texts)',
    replace: 'words',
    tests: [provider],
  },
  {
    safeguard: 'addresses are scrubbed from messages',
    file: 'shared/embedding/provider-words.ts',
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
    file: 'shared/embedding/provider-words.ts',
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
    file: 'shared/documents/outcome.ts',
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
  {
    safeguard: 'a process that reads files has none of our environment',
    file: 'functions/extraction/text/reader-process.ts',
    find: '    env: {},\n',
    replace: '',
    tests: readerProcess,
  },
  {
    safeguard: 'a process that reads files may not take any amount of memory',
    file: 'functions/extraction/text/reader-process.ts',
    find: 'used > memoryMb) exceed(',
    replace: 'used < 0) exceed(',
    tests: readerProcess,
  },
  {
    safeguard: 'a process that reads files may not take any time',
    file: 'functions/extraction/text/reader-process.ts',
    find: 'Math.max(0, deadline - performance.now())',
    replace: '2 ** 30',
    tests: readerProcess,
  },
  {
    safeguard: 'a process that ends by itself is replaced, once for a file',
    file: 'functions/extraction/text/reader-process.ts',
    find: ' ?? (await this.#attempt(request, deadline))',
    replace: '',
    tests: readerProcess,
  },
  {
    safeguard: 'no XML with entities is read',
    file: 'functions/extraction/text/zip-package.ts',
    find: 'entityMarks.some((mark) => start.includes(mark))',
    replace: 'false',
    tests: hostile,
  },
  {
    safeguard: 'no archive of any number of entries is read',
    file: 'functions/extraction/text/zip-package.ts',
    find: 'zip.entryCount > maxEntries',
    replace: 'false',
    tests: hostile,
  },
  {
    safeguard: 'a PDF of any number of pages is not read',
    file: 'functions/extraction/text/pdf/read-pdf.ts',
    find: 'pdf.numPages > maxPages',
    replace: 'false',
    tests: hostile,
  },
  {
    safeguard: 'hidden sheets are left out',
    file: 'functions/extraction/text/formats/workbook.ts',
    find: '!hidden && !veryHidden',
    replace: '!veryHidden || hidden',
    tests: extractedText,
  },
  {
    safeguard: 'hidden rows are left out',
    file: 'functions/extraction/text/formats/workbook.ts',
    find: '!sheet.rowDefs?.get(r)?.hidden',
    replace: 'r >= 0',
    tests: extractedText,
  },
  {
    safeguard: 'hidden columns are left out',
    file: 'functions/extraction/text/formats/workbook.ts',
    find: '!sheet.columns?.[c]?.hidden',
    replace: 'c >= 0',
    tests: extractedText,
  },
  {
    safeguard: 'an OpenDocument sheet with hidden parts is refused',
    file: 'functions/extraction/text/read-file.ts',
    find: "format === 'ods' && hides",
    replace: 'false',
    tests: hostile,
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
