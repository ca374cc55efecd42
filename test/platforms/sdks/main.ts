import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Block, blocksOf, platformGuides, requestOf } from '../../support/guide-blocks.ts'

/**
 * Compares what the guides show with the types of the platforms' own SDKs: what to paste, what the platform sends, what it gets.
 * `npm run platforms` prints the first fault, or how many blocks have none.
 */
const types: Record<string, { http?: string[]; json?: string[] }> = {
  '20-vapi.md': {
    http: ['{ message: Vapi.ServerMessageToolCalls }', '{ message: Vapi.ServerMessageKnowledgeBaseRequest }'],
    json: [
      `Vapi.CreateFunctionToolDto & { type: 'function' }`,
      'Vapi.ServerMessageResponseToolCalls',
      `Pick<Vapi.OpenAiModel, 'knowledgeBase'>`,
      'Vapi.ServerMessageResponseKnowledgeBaseRequest',
    ],
  },
  '21-retell.md': {
    http: ['{ name: string; call: Retell.WebCallResponse; args: Record<string, unknown> }'],
    json: ['Retell.LlmCreateParams.CustomTool'],
  },
  '22-elevenlabs.md': { json: ['{ tool_config: ElevenLabsTool }'] },
  '25-openai.md': { json: ['SessionUpdateEvent', 'ResponseCreateParams'] },
  '26-deepgram.md': { json: [`{ agent: { think: Pick<Deepgram.ThinkSettingsV1, 'functions'> } }`] },
}

const imports = `import type { Vapi } from '@vapi-ai/server-sdk'
import type { Retell } from 'retell-sdk'
import type { ToolRequestModelToolConfig } from '@elevenlabs/elevenlabs-js/serialization/types/ToolRequestModelToolConfig.js'
import type { SessionUpdateEvent } from 'openai/resources/realtime/realtime'
import type { ResponseCreateParams } from 'openai/resources/responses/responses'
import type { Deepgram } from '@deepgram/sdk'
type ElevenLabsTool = ToolRequestModelToolConfig.Raw
`

const root = join(import.meta.dirname, '../../..')
/** Not beside package.json: tests and mutations walk the whole of test/. */
const installed = join(root, 'node_modules/.cache/cuecard/platform-sdks')

install()
const declarations = Object.entries(types).flatMap(([name, wanted]) => {
  const blocks = blocksOf(platformGuides.get(name)!)
  return (['http', 'json'] as const).flatMap((language) => {
    const shown = blocks.filter((block) => block.language === language)
    return (wanted[language] ?? []).map((type, i) => declare(`${name} ${language} ${i + 1}`, type, shown[i]))
  })
})
writeFileSync(join(installed, 'guides.ts'), imports + declarations.join(''))
const options = [
  '--ignoreConfig',
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'esnext',
  '--types',
  '',
]
const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), [...options, 'guides.ts'], {
  cwd: installed,
  stdio: 'inherit',
})
if (status !== 0) process.exitCode = 1
else console.log(`${declarations.length} blocks of the guides are as the platforms' SDKs have them.`)

function declare(place: string, type: string, block: Block | undefined): string {
  if (!block) throw new Error(`${place} is missing`)
  const text = block.language === 'http' ? requestOf(block).body : block.text
  return `\n// ${place}\n;(${text}) satisfies ${type}\n`
}

/** What package-lock.json says, unless it is there. */
function install(): void {
  const stamp = join(installed, 'node_modules/.cuecard-lock')
  const wanted = readFileSync(join(import.meta.dirname, 'package-lock.json'), 'utf8')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  mkdirSync(installed, { recursive: true })
  for (const name of ['package.json', 'package-lock.json'])
    cpSync(join(import.meta.dirname, name), join(installed, name))
  const run = spawnSync('npm ci --no-audit --no-fund --no-json --ignore-scripts', {
    cwd: installed,
    stdio: ['ignore', process.stderr.fd, 'inherit'],
    shell: true,
  })
  if (run.status !== 0) throw new Error('the SDKs could not be installed')
  writeFileSync(stamp, wanted)
}
