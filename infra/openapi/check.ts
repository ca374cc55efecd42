import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const lint = ['lint', 'functions/reference/openapi.json', '--config', 'infra/openapi/redocly.yaml']
const offline = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/@redocly/cli/bin/cli.js'), ...lint],
  { cwd: root, env: { ...process.env, ...offline }, encoding: 'utf8' },
)
if (status !== 0) {
  console.error(stdout + stderr)
  process.exitCode = 1
}
