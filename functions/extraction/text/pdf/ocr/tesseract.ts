import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import type { Raster } from './raster.ts'

const load = createRequire(import.meta.url)
const core = 'tesseract.js-core/tesseract-core-relaxedsimd-lstm'
/** Reading both takes no longer than reading one. */
const languages = ['deu', 'eng']
const lstmOnly = 1
/** Finds text wherever it is, since our layout decides which parts belong together. */
const sparseText = '11'

/** Pixels from the top left of the raster; `confidence` is from 0 to 100. */
export type ReadLine = {
  baseline: { x0: number; y0: number; x1: number; y1: number }
  words: { text: string; confidence: number; bbox: { x0: number; y0: number; x1: number; y1: number } }[]
}

export type Core = {
  FS: { writeFile(path: string, bytes: Uint8Array): void }
  TessBaseAPI: new () => Api
  /** WebAssembly's memory, word by word. */
  getValue(pointer: number, type: 'i32'): number
  setValue(pointer: number, value: number, type: 'i8' | 'i32'): void
  _malloc(bytes: number): number
  _free(pointer: number): void
  _pixReadHeaderMem(...pointers: number[]): number
  _pixReadMem(pointer: number, bytes: number): number
  _pixDestroy(pointer: number): void
}

type Api = {
  Init(path: null, languages: string, mode: number): number
  SetVariable(name: string, value: string): void
  SetImageFile(orientation: number, angle: number): number
  Recognize(monitor: null): number
  GetJSONText(): string
  Clear(): void
}

type Engine = { core: Core; api: Api }
let engine: Promise<Engine> | undefined

export async function startedEngine(): Promise<Engine> {
  engine ??= started()
  return await engine
}

async function started(): Promise<Engine> {
  const quiet = () => {}
  const module: Core = await load(core)({ print: quiet, printErr: quiet })
  for (const language of languages) {
    const file = load.resolve(`@tesseract.js-data/${language}/4.0.0_best_int/${language}.traineddata.gz`)
    module.FS.writeFile(`${language}.traineddata`, gunzipSync(readFileSync(file)))
  }
  const api = new module.TessBaseAPI()
  if (api.Init(null, languages.join('+'), lstmOnly) !== 0) throw new Error('Tesseract does not start')
  api.SetVariable('tessedit_pageseg_mode', sparseText)
  return { core: module, api }
}

export async function readLines({ width, height, grey }: Raster, dpi: number): Promise<ReadLine[]> {
  const { core, api } = await startedEngine()
  core.FS.writeFile('/input', Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), grey]))
  api.SetVariable('user_defined_dpi', String(Math.round(dpi)))
  if (api.SetImageFile(1, 0) !== 0) throw new Error('Tesseract does not take the page')
  api.Recognize(null)
  const { blocks } = JSON.parse(api.GetJSONText()) as { blocks: { paragraphs: { lines: ReadLine[] }[] | null }[] }
  api.Clear()
  return blocks.flatMap((block) => (block.paragraphs ?? []).flatMap(({ lines }) => lines))
}
