import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

// Node.js keeps what it has compiled of packages for the next process: the tests run many commands.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/cuecard/compiled')

/** What needs a browser, the synthesis for AWS, a tool of the tests or processes of its own, or takes long: `npm run test:ci`. */
const ci = [
  ...['{aws,bench,evaluation,load,operators/stage}/**/*.test.ts', '**/browser/**/*.test.ts', 'workflows.test.ts'],
  ...[
    'files/{hostile,scans}.test.ts',
    'dashboard/{new-version,corrections,foreign-forms}.test.ts',
    'retrieval/term-lists.test.ts',
  ],
  ...['sources/{crawl,site/crawls}.test.ts', 'webhooks/{delivery,outage}.test.ts', 'local/{start,database}.test.ts'],
  'sources/{turns,addresses,deletion,by-hand,private-hosts}.test.ts',
  ...['admin.test.ts', 'attack/{leaks,fuzz/operations}.test.ts', 'api/payload.test.ts', 'database/plans.test.ts'],
  ...['files/{races,reader-process}.test.ts', 'retrieval/encoder.test.ts'],
  ...[
    'operators/{erasure,export,sync}.test.ts',
    'database/{rotation,neon,tenant-rows}.test.ts',
    'files/over-http.test.ts',
    'api/{hanging-queue,samples}.test.ts',
  ],
]
/** What takes seconds of a processor: `npm run test:ci`, too. */
const long = [
  ...[
    '{pipeline,api}/races.test.ts',
    'pipeline/sweeper.test.ts',
    'simulation/*.test.ts',
    'attack/{mended-readers,fuzz/sequences,fuzz/dashboard}.test.ts',
  ],
  ...[
    'pipeline/provider.test.ts',
    'database/{roles,listed-plans,rollback,sketch-clusters}.test.ts',
    'operators/backup.test.ts',
  ],
  ...[
    'files/{extracted-text,places}.test.ts',
    'dashboard/{original,questions}.test.ts',
    'api/{examples,faults}.test.ts',
  ],
  ...['connect/attacks.test.ts', 'pipeline/model-change.test.ts'],
]
/** What takes minutes: `npm run test:nightly`. */
const nightly = [
  ...['pipeline/chunker-time.test.ts', 'questions/mistakes.test.ts', 'database/nearest-chunks.test.ts'],
  ...['limits/large.test.ts', 'attack/readers.test.ts', 'local/installed.test.ts'],
  'pipeline/model-change-load.test.ts',
]
const faults = ['faults/{kills,everything,storms,disk-full,clock-jumps}.test.ts']

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>

interface Variant {
  /** Files to leave out. */
  except?: string[]
  globalSetup?: string[]
}

export function configOf({ except = [], globalSetup = [] }: Variant = {}) {
  const later = [...ci, ...long, ...nightly, ...faults, ...except]
  const project = (options: TestOptions): TestProjectInlineConfiguration => ({
    root: import.meta.dirname,
    test: {
      pool: 'threads',
      // Node.js runs the TypeScript itself, as in `npm start`.
      experimental: { viteModuleRunner: false },
      env: { POWERTOOLS_LOG_LEVEL: process.env.POWERTOOLS_LOG_LEVEL ?? 'SILENT' },
      testTimeout: 240_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 30_000 } },
      ...options,
    },
  })
  return defineConfig({
    root: import.meta.dirname,
    test: {
      // Three on two cores: some wait most of the time, for a time-out or for a process.
      maxWorkers: 3,
      globalSetup: ['./support/run-directory.ts', './support/database-image.ts', ...globalSetup],
      reporters: ['default', './support/summary-reporter.ts'],
      projects: [
        // A worker's files share its modules and its stand, as requests share an instance of a Lambda.
        project({ name: 'usual', include: ['**/*.test.ts'], exclude: later, isolate: false }),
        project({
          name: 'ci',
          include: ci,
          exclude: except,
          // A package imports JSON as bundlers do, and Node does not.
          experimental: { viteModuleRunner: true },
          server: { deps: { inline: ['@actions/workflow-parser'] } },
        }),
        project({ name: 'ci-long', include: long, exclude: except, isolate: false }),
        project({ name: 'nightly', include: nightly, exclude: except }),
        // One after the other: a stand under kills wants the processors for itself.
        project({ name: 'faults', include: faults, exclude: except, maxWorkers: 1 }),
      ],
    },
  })
}

export default configOf()
