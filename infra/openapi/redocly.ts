import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const document = 'functions/reference/openapi.json'
const config = ['--config', 'infra/openapi/redocly.yaml']

/** @throws Error with Redocly's report when a rule is violated */
export function lintDocument(): Promise<void> {
  return redocly('lint', document, ...config)
}

export async function generateClient(): Promise<void> {
  const output = 'test/api/client.generated.ts'
  const options = ['--output', output, '--args-style', 'grouped', '--error-mode', 'result']
  await redocly('generate-client', document, ...options, ...config)
  // It names types of browsers, which our compiler does not know.
  const client = await readFile(join(root, output), 'utf8')
  await writeFile(join(root, output), `// @ts-nocheck\n${client}`)
}

async function redocly(...args: string[]): Promise<void> {
  const offline = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const command = spawn(process.execPath, [join(root, 'node_modules/@redocly/cli/bin/cli.js'), ...args], {
    cwd: root,
    env: { ...process.env, ...offline },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, [code]] = await Promise.all([
    Promise.all([command.stdout.toArray(), command.stderr.toArray()]),
    once(command, 'close'),
  ])
  if (code !== 0) throw new Error(`redocly ${args[0]} failed\n${Buffer.concat(output.flat()).toString()}`)
}
