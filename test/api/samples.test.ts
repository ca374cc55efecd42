import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { languages } from '../../functions/reference/browser/samples.js'
import { useGateway } from '../support/gateway.ts'
import { useStand } from '../support/stand.ts'

const stand = useStand()

describe('a sample', () => {
  const gateway = useGateway(stand)

  const run = promisify(execFile)
  const python = ['-c', 'import ast, sys; ast.parse(sys.argv[1])']
  const runners: Record<string, (code: string) => Promise<unknown>> = {
    curl: (code) => run('sh', ['-c', code.replace('curl', 'curl -sS --fail-with-body')]),
    typescript: (code) => run(process.execPath, ['--input-type=module', '--eval', code]),
    python: (code) => run('python3', [...python, code]),
  }
  const isInstalled = (command: string) =>
    (process.env.PATH ?? '').split(':').some((directory) => existsSync(join(directory, command)))
  const needed: Record<string, string> = { curl: 'curl', typescript: 'sh', python: 'python3' }

  test.for(Object.keys(languages))(
    'in %s sends what it says, whatever the text has in it',
    async (language, context) => {
      context.skip(!isInstalled(needed[language]!), `needs ${needed[language]}`)
      const { apiKey, agentId, call, knowledgeBase } = await stand.tenant()
      const body = { title: `It's "5 $"  5 € in {a}`, content: 'Line one\nLine two: `true`, null, $PATH' }
      const sample = languages[language]!.write({
        method: 'POST',
        path: '/v1/agents/$AGENT_ID/knowledge-base',
        headers: { 'Idempotency-Key': 'a "quoted" $1  key' },
        body,
      })
      const values = { BASE_URL: gateway.origin, API_KEY: apiKey, AGENT_ID: agentId }
      await runners[language]!(
        Object.entries(values).reduce((code, [name, value]) => code.replaceAll(`$${name}`, value), sample),
      )
      // Python's client is not part of the language: its sample is parsed, and not sent.
      if (language !== 'python')
        expect((await call('GET', knowledgeBase)).body.data).toMatchObject([
          { title: body.title, content: body.content },
        ])
    },
  )
})
