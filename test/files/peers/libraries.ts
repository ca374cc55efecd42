// Converts files by one library: node libraries.ts LIBRARY FILE… prints a line of JSON for each.
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { performance } from 'node:perf_hooks'

type Convert = (file: Buffer, extension: string) => Promise<string>

const cell = (value: unknown) =>
  (value instanceof Date ? value.toISOString() : String(value ?? '')).replaceAll('|', '\\|').replaceAll('\n', '<br>')
const table = (rows: unknown[][]) =>
  rows
    .map(
      (row, index) =>
        `| ${Array.from(row, cell).join(' | ')} |${index === 0 ? `\n|${' --- |'.repeat(row.length)}` : ''}`,
    )
    .join('\n')

const libraries: Record<string, { extensions: string[]; load: () => Promise<Convert> }> = {
  anydoc: {
    extensions: ['pdf', 'docx', 'doc', 'odt', 'rtf', 'pptx', 'odp', 'xlsx', 'ods', 'csv', 'epub'],
    load: async () => {
      const { Format, toMarkdownBytes } = await import('@firecrawl/anydoc')
      return (file, extension) => toMarkdownBytes(file, extension === 'csv' ? ('csv' as typeof Format.csv) : undefined)
    },
  },
  'pdf-inspector': {
    extensions: ['pdf'],
    load: async () => {
      const { processPdf } = await import('@firecrawl/pdf-inspector')
      return async (file) => processPdf(file).markdown ?? ''
    },
  },
  liteparse: {
    extensions: ['pdf'],
    load: async () => {
      const { LiteParse } = await import('@llamaindex/liteparse')
      const parser = new LiteParse({ ocrEnabled: false, outputFormat: 'markdown', quiet: true })
      return async (file) => (await parser.parse(file)).text
    },
  },
  unpdf: {
    extensions: ['pdf'],
    load: async () => {
      const { extractText } = await import('unpdf')
      return async (file) => (await extractText(new Uint8Array(file), { mergePages: true })).text
    },
  },
  pdf2md: {
    extensions: ['pdf'],
    load: async () => {
      const { default: convert } = await import('@opendocsg/pdf2md')
      return async (file) => await convert(new Uint8Array(file))
    },
  },
  officeparser: {
    extensions: ['pdf', 'docx', 'odt', 'rtf', 'pptx', 'odp', 'xlsx', 'ods', 'csv', 'html', 'md'],
    load: async () => {
      const { parseOffice } = await import('officeparser')
      return async (file, extension) => {
        const converted = await (await parseOffice(file, { fileType: extension } as object)).to('md')
        return String((converted as { value?: unknown }).value ?? converted)
      }
    },
  },
  'mammoth+turndown': {
    extensions: ['docx'],
    load: async () => {
      const [{ default: mammoth }, toMarkdown] = await Promise.all([import('mammoth'), turndown()])
      return async (buffer) => toMarkdown((await mammoth.convertToHtml({ buffer })).value)
    },
  },
  turndown: {
    extensions: ['html'],
    load: async () => {
      const toMarkdown = await turndown()
      return async (file) => toMarkdown(file.toString())
    },
  },
  hucre: {
    extensions: ['xlsx', 'ods', 'csv'],
    load: async () => {
      const { parseCsv, readOds, readXlsx } = await import('hucre')
      return async (file, extension) => {
        if (extension === 'csv') return table(parseCsv(file.toString()) as unknown[][])
        const { sheets } = await (extension === 'ods' ? readOds(file) : readXlsx(file))
        return sheets.map(({ name, rows }) => `## ${name}\n\n${table(rows)}`).join('\n\n')
      }
    },
  },
  exceljs: {
    extensions: ['xlsx'],
    load: async () => {
      const { default: ExcelJS } = await import('exceljs')
      return async (file) => {
        const book = await new ExcelJS.Workbook().xlsx.load(file as never)
        return book.worksheets
          .map((sheet) => {
            const rows: unknown[][] = []
            sheet.eachRow((row) =>
              rows.push(Array.from({ length: sheet.columnCount }, (_, column) => row.getCell(column + 1).text)),
            )
            return `## ${sheet.name}\n\n${table(rows)}`
          })
          .join('\n\n')
      }
    },
  },
}

async function turndown(): Promise<(html: string) => string> {
  const [{ default: Turndown }, { gfm }] = await Promise.all([
    import('turndown'),
    import('@joplin/turndown-plugin-gfm'),
  ])
  const service = new Turndown({ headingStyle: 'atx' })
  service.use(gfm)
  return (html) => service.turndown(html)
}

const [name, ...files] = process.argv.slice(2)
if (name === undefined)
  console.log(
    JSON.stringify(Object.fromEntries(Object.entries(libraries).map(([key, { extensions }]) => [key, extensions]))),
  )
else {
  const convert = await libraries[name]!.load()
  for (const path of files) {
    const times: number[] = []
    let outcome: { text: string } | { error: string } = { text: '' }
    for (let run = 0; run < 4; run++) {
      const start = performance.now()
      try {
        outcome = { text: await convert(readFileSync(path), extname(path).slice(1)) }
      } catch (error) {
        outcome = { error: String(error) }
      }
      times.push(performance.now() - start)
    }
    console.log(JSON.stringify({ path, ms: times.slice(1).sort((a, b) => a - b)[1], ...outcome }))
  }
}
