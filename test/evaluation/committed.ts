import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../../infra/command-line/command-error.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { toJsonRows } from '../support/tools/json-rows.ts'
import type { Answer } from './ask.ts'
import { changesBetween } from './changes.ts'
import type { Figures } from './figures.ts'
import { toChangesText } from './report.ts'

const file = join(import.meta.dirname, 'figures.json')

export function committedFigures(): Figures {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** @throws CommandError when the figures are not of the embedded default: nobody could reproduce them without the provider */
export function requireDefault({ source }: Figures): void {
  if (source.model !== lexicalEmbedder().model)
    throw new CommandError('the figures to keep are those of the lexical embedder: pass --model lexical')
}

export function writeFigures(figures: Figures): void {
  writeFileSync(file, toJsonRows(figures))
}

/** The changes since the committed figures, as text. */
export function changesText(figures: Figures, answers: readonly Answer[]): string {
  const committed = committedFigures()
  const changes = toChangesText(changesBetween(committed, figures), answers)
  const other = [
    ...(committed.source.model === figures.source.model ? [] : [`those are of the embedder ${committed.source.model}`]),
    ...(committed.source.set === figures.source.set ? [] : ['since then the set has changed']),
  ]
  const title = `Against the committed figures${other.map((text) => `; ${text}`).join('')}:`
  return changes ? `${title}\n${changes}` : `${title} no change`
}

/** @throws CommandError when a figure is lower than the committed one, or nothing can be compared */
export function check(figures: Figures): void {
  const committed = committedFigures()
  if (committed.source.set !== figures.source.set)
    throw new CommandError('figures.json is not of this set: npm run evaluate -- --write')
  const fallen = changesBetween(committed, figures).figures.filter(({ before, now }) => now < before)
  if (fallen.length === 0) return
  const names = fallen.map(({ mode, name }) => `${mode}, ${name}`)
  throw new CommandError(`${fallen.length} figures have fallen: ${names.join('; ')}`)
}
