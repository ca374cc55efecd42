#!/usr/bin/env node
// The operator's command line, without npm's words on stdout: `npx cuecard …`. On any Node from 20 on, hence plain JavaScript:
// installs packages if need be, and goes on with the Node among them, which runs TypeScript.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url))

/** Ends this process when the command fails. */
function run(node, ...args) {
  const { status, error } = spawnSync(node, args, { stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

// A Ctrl-C is the command's: one that can be continued ends in order.
process.on('SIGINT', () => {})
run(process.execPath, pathOf('setup.mjs'), '--omit=dev')
run(pathOf('../node_modules/.bin/node'), pathOf('admin/main.ts'), ...process.argv.slice(2))
