import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as v from 'valibot'
import { parseDocument } from 'yaml'
import { readFile } from '../../../functions/extraction/text/read-file.ts'
import { titleOfName } from '../../../shared/documents/client/file-document.ts'
import { type PutInput, putBody } from '../../../shared/documents/contract/input.ts'
import { maxFileBytes } from '../../../shared/files/file-types.ts'
import { isObject } from '../../../shared/http/input/fields.ts'
import { decodeText } from '../../../shared/text/decode-text.ts'

/** The wanted document: the body of its PUT. */
export type Wanted = PutInput & { external_id: string }

/** Reads a file as the service would, with its front matter. @throws Error whose message is a sentence about the file's fault */
export async function documentOf(root: string, path: string, externalId: string): Promise<Wanted> {
  const bytes = await bytesOf(join(root, path))
  const { fields, rest } = /\.(md|markdown|txt)$/i.test(path) ? frontMatter(bytes) : { fields: {}, rest: bytes }
  const { text, title: found } = await readFile(rest, basename(path))
  const { title, valid_from, valid_until, metadata = {}, ...others } = fields
  if (!isObject(metadata)) throw new Error('`metadata` in the front matter must be a mapping')
  const { output, issues, typed } = v.safeParse(putBody, {
    external_id: externalId,
    title: title ?? found ?? titleOfName(basename(externalId)),
    content: text,
    metadata: { ...others, ...metadata },
    ...(valid_from != null && { valid_from }),
    ...(valid_until != null && { valid_until }),
  })
  if (!typed || issues) throw new Error(issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`).join('; '))
  return { ...output, external_id: externalId }
}

async function bytesOf(path: string): Promise<Buffer> {
  await using file = await open(path)
  if ((await file.stat()).size > maxFileBytes) throw new Error(`it has more than ${maxFileBytes >> 20} MiB`)
  return await file.readFile()
}

/** Splits off a YAML mapping between lines of three hyphens at the very beginning. */
function frontMatter(bytes: Buffer): { fields: Record<string, unknown>; rest: Buffer } {
  const text = bytes.length > 0 ? decodeText(bytes).replace(/^\ufeff/, '') : ''
  const [whole, yaml = ''] = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text) ?? []
  if (whole === undefined) return { fields: {}, rest: bytes }
  const parsed = parseDocument(yaml, { prettyErrors: false })
  const [fault] = parsed.errors
  if (fault) throw new Error(`its front matter is not valid YAML: ${fault.message}`)
  const fields: unknown = parsed.toJS()
  return isObject(fields) ? { fields, rest: Buffer.from(text.slice(whole.length)) } : { fields: {}, rest: bytes }
}
