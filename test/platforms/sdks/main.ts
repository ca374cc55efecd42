// Checks the guides' settings, requests and responses against the types of the platforms' own SDKs.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { report, run, withForeignPackages } from '../../foreign/packages.ts'
import { type Block, blocksOf, platformGuides, requestOf } from '../../support/tools/guide-blocks.ts'

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

const directory = withForeignPackages(import.meta.dirname, 'platforms')
await report('the guides, by the types of the platforms’ SDKs', async () => {
  const declarations = Object.entries(types).flatMap(([name, wanted]) => {
    const blocks = blocksOf(platformGuides.get(name)!)
    return (['http', 'json'] as const).flatMap((language) => {
      const shown = blocks.filter((block) => block.language === language)
      return (wanted[language] ?? []).map((type, i) => declare(`${name} ${language} ${i + 1}`, type, shown[i]))
    })
  })
  writeFileSync(join(directory, 'guides.ts'), imports + declarations.join(''))
  await run({ directory, command: 'tsc' })
  return `${declarations.length} blocks match`
})

function declare(place: string, type: string, block: Block | undefined): string {
  if (!block) throw new Error(`${place} is missing`)
  const text = block.language === 'http' ? requestOf(block).body : block.text
  return `\n// ${place}\n;(${text}) satisfies ${type}\n`
}
