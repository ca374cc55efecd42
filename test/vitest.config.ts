import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { faultsOnly, thoroughOnly } from './support/effort.ts'

// Node.js keeps what it has compiled of packages for the next process: the tests run many commands.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/cuecard/compiled')

export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['**/*.test.ts'],
    exclude: [...thoroughOnly, ...faultsOnly],
    // A file has a stand of its own: a database, a queue and the Lambda handlers, configured by its thread's environment.
    // Three on two cores: some wait most of the time, for a time-out or for a process.
    pool: 'threads',
    maxWorkers: 3,
    globalSetup: ['./support/run-directory.ts', './support/database-image.ts'],
    // It imports JSON as bundlers do, and Node does not.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    env: { POWERTOOLS_LOG_LEVEL: process.env.POWERTOOLS_LOG_LEVEL ?? 'SILENT' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', './support/summary-reporter.ts'],
  },
})
