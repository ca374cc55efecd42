import { parse } from 'csv-parse/sync'
import type { Block } from '../../../../shared/text/blocks.ts'
import { mostFrequent } from '../../../../shared/text/table-header.ts'
import { sheetBlocks } from './table-rows.ts'

const delimiters = [';', '\t', ',', '|']
const sampleLines = 200
const sampleLetters = 64 * 1024
const maxColumns = 1_000
const maxCells = 2_000_000

/** @param strict requires the same columns in every row, since the name does not say that the file is a table */
export function delimitedBlocks(text: string, { strict }: { strict: boolean }): Block[] | undefined {
  const named = /^sep=(.)\r?\n/i.exec(text)
  const content = named ? text.slice(named[0].length) : text
  const delimiter = named?.[1] ?? likeliestDelimiter(content, strict)
  if (!delimiter) return undefined
  const rows = parsed(content, delimiter)
  const width = rows?.reduce((most, row) => Math.max(most, row.length), 0) ?? 0
  if (!rows || width > maxColumns || width * rows.length > maxCells) return undefined
  return sheetBlocks(rows.map((row) => row.map((cell) => ({ text: cell.trim() }))))
}

function likeliestDelimiter(content: string, strict: boolean): string | undefined {
  const sample = content.slice(0, sampleLetters).split('\n', sampleLines).join('\n')
  let best: { delimiter: string; agreeing: number } | undefined
  for (const delimiter of delimiters) {
    const rows = parsed(sample, delimiter)?.filter((row) => row.some((cell) => cell.trim()))
    const columns = mostFrequent(rows?.map(({ length }) => length) ?? [])
    if (!rows || columns < 2 || columns > maxColumns || rows.length < (strict ? 3 : 2)) continue
    const agreeing = rows.filter(({ length }) => length === columns).length / rows.length
    const enough = strict ? agreeing === 1 && (delimiter !== ',' || columns > 2) : agreeing >= 0.5
    if (enough && (!best || agreeing > best.agreeing)) best = { delimiter, agreeing }
  }
  return best?.delimiter
}

function parsed(text: string, delimiter: string): string[][] | undefined {
  try {
    return parse(text, { delimiter, relax_quotes: true, relax_column_count: true, bom: true })
  } catch {
    return undefined
  }
}
