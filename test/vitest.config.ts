import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

// Node.js caches compiled packages for the next process, because the tests run many commands.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/cuecard/compiled')

/** The project of a test file, by the ending of its name. Every other test file is in `npm test`. */
const testFiles = {
  /** Needs a browser, the synthesis for AWS, a tool or processes of its own, or takes seconds of a processor: `npm run test:ci`. */
  ci: ['**/*.ci.test.ts', '**/*.long.test.ts'],
  /** Starts the local stand in its own process, which can hold one only: `npm run test:ci`, too. */
  alone: ['**/*.alone.test.ts'],
  /** Takes minutes: `npm run test:nightly`. */
  nightly: ['**/*.nightly.test.ts'],
  /** Kills processes and cuts connections: `npm run test:faults`. */
  faults: ['**/*.faults.test.ts'],
}

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>

interface Variant {
  /** Files to leave out. */
  except?: string[]
  globalSetup?: string[]
}

export function configOf({ except = [], globalSetup = [] }: Variant = {}) {
  const { ci, alone, nightly, faults } = testFiles
  const later = [...ci, ...alone, ...nightly, ...faults, ...except]
  const project = (options: TestOptions): TestProjectInlineConfiguration => ({
    root: import.meta.dirname,
    test: {
      // A worker is a process: in threads, V8 may end the whole run over memory of WebAssembly (nodejs/node#64500).
      pool: 'forks',
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
      globalSetup: ['./support/stand/run-directory.ts', './support/stand/database-image.ts', ...globalSetup],
      reporters: ['default', './support/tools/summary-reporter.ts'],
      projects: [
        // A worker's files share its modules and its stand, as requests share an instance of a Lambda.
        project({ name: 'usual', include: ['**/*.test.ts'], exclude: later, isolate: false }),
        project({ name: 'ci', include: ci, exclude: except, isolate: false }),
        project({ name: 'ci-alone', include: alone, exclude: except }),
        project({ name: 'nightly', include: nightly, exclude: except }),
        // One after the other: a stand under kills wants the processors for itself.
        project({ name: 'faults', include: faults, exclude: except, maxWorkers: 1 }),
      ],
    },
  })
}

/** TEST_EXCEPT names files to leave out, as a pattern. */
export default configOf({ except: process.env.TEST_EXCEPT ? [process.env.TEST_EXCEPT] : [] })
