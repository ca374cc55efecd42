import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['**/*.test.ts'],
    // A file has a stand of its own: a database, a queue and the Lambda handlers, configured by its process's environment.
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: './support/database-image.ts',
    env: { POWERTOOLS_LOG_LEVEL: process.env.POWERTOOLS_LOG_LEVEL ?? 'SILENT' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', './support/summary-reporter.ts'],
  },
})
