#!/usr/bin/env node
// The operator's command line, `npx cuecard …`: unlike `npm run`, npx prints nothing of its own on stdout.
import { fileURLToPath } from 'node:url'

process.argv.splice(2, 0, '--omit=dev', 'node', fileURLToPath(new URL('admin/main.ts', import.meta.url)))
await import('./run.mjs')
