import { isDeepStrictEqual } from 'node:util'
import type { Document } from '../../../shared/documents/contract/document.ts'
import { sentenceOf } from '../../command-line/sentence.ts'
import type { Api } from '../api.ts'
import { pagesOf } from '../questions/pages.ts'
import { documentOf, type Wanted } from './document.ts'
import { extension } from './folder.ts'

export interface Plan {
  create: Wanted[]
  update: Wanted[]
  /** External ids. */
  delete: string[]
  unchanged: number
  /** The number of documents that come from the folder. */
  existing: number
  failed: Failed[]
  /** Documents that equal their files, but whose processing ended in an error. */
  inError: Failed[]
}

export interface Failed {
  path: string
  reason: string
}

interface Source {
  root: string
  files: readonly string[]
  prefix: string
}

/** Plans the changes that make an agent's documents equal to the files. Ignores documents with other external ids. */
export async function makePlan(api: Api, knowledgeBase: string, { root, files, prefix }: Source): Promise<Plan> {
  const path = `${knowledgeBase}?${new URLSearchParams({ external_id_prefix: prefix })}`
  const listed = await pagesOf<Document>(api, path)
  const isOurs = ({ external_id, source_type }: Document) => extension.test(external_id!) && source_type === 'manual'
  const existing = new Map(listed.map((document) => [document.external_id!, document]))
  const gone = new Set(listed.filter(isOurs).map(({ external_id }) => external_id!))
  const plan: Plan = { create: [], update: [], delete: [], unchanged: 0, existing: gone.size, failed: [], inError: [] }
  const names = new Map<string, string>()
  for (const file of files) {
    const externalId = `${prefix}${file.normalize('NFC')}`
    gone.delete(externalId)
    const same = names.get(externalId.toLowerCase())
    names.set(externalId.toLowerCase(), file)
    try {
      if (same !== undefined) throw new Error(`its name differs from that of ${same} only in case: rename one of them`)
      const wanted = await documentOf(root, file, externalId)
      const document = existing.get(externalId)
      if (!document) plan.create.push(wanted)
      else if (isSame(document, wanted)) {
        plan.unchanged++
        if (document.status === 'error') plan.inError.push({ path: file, reason: document.error_message! })
      } else plan.update.push(wanted)
    } catch (error) {
      plan.failed.push({ path: file, reason: firstSentenceOf(error) })
    }
  }
  return { ...plan, delete: [...gone] }
}

function isSame(document: Document, wanted: Wanted): boolean {
  const { title, content, metadata = {}, valid_from = null, valid_until = null } = wanted
  const { title: before, content: text, metadata: labels, valid_from: from, valid_until: until } = document
  return isDeepStrictEqual([before, text, labels, from, until], [title, content, metadata, valid_from, valid_until])
}

/** The further sentences are advice for people who upload files. */
function firstSentenceOf(error: unknown): string {
  return sentenceOf(error).split(/\. (?=[A-Z])/, 1)[0]!
}
