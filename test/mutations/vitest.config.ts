import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// The tests of the state machine, of stored chunks, outcomes and limits; one stand for all of them.
export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    include: [
      'pipeline/{outcomes,revisions,waiting}.test.ts',
      'api/{revisions,status,retries}.test.ts',
      'limits/*.test.ts',
    ],
    isolate: false,
    globalSetup: ['./support/stand/run-directory.ts', './support/stand/database-image.ts'],
    env: { POWERTOOLS_LOG_LEVEL: 'SILENT' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
