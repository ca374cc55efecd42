import * as v from 'valibot'
import { keepBoth, replaceWithFile } from '../../../../shared/documents/new-version.ts'
import { documentPath } from '../../../../shared/ids.ts'
import type { Sender } from '../../../../shared/queue.ts'
import { isError } from '../../error-view.ts'
import { type Screens, valid } from '../../screen.ts'
import { words } from '../../words.ts'
import { editsField } from '../edits.ts'
import { findOverview } from '../overview.ts'
import { documentPagePath, placeOf } from '../place.ts'

const w = words.documents.version

/** The answers to whether a held document replaces the one that it resembles. */
export function addVersionRoutes(screens: Screens, queue: Sender) {
  screens
    .post(
      `${documentPagePath}/replace`,

      { permission: 'kb:write', params: documentPath, form: v.object({ edits: v.optional(editsField) }) },
      async ({ db, scope, form, may, origin }) => {
        const { base } = placeOf(scope, may)
        const { edits } = valid(form)
        let other = ''
        try {
          const { title, changes } = await findOverview(db, scope)
          other = changes?.otherTitle ?? ''
          const replaced = await replaceWithFile({ db, queue }, scope, edits, origin)
          const text =
            replaced === scope.documentId
              ? w.kept(title)
              : `“${other}” gets the new text. What it said until now is in its history.`
          return { redirect: `${base}/${replaced}`, flash: { text } }
        } catch (error) {
          return refusal(error, `${base}/${scope.documentId}`, base, other)
        }
      },
    )
    .post(
      `${documentPagePath}/keep`,
      { permission: 'kb:write', params: documentPath },
      async ({ db, scope, may, origin }) => {
        const { base } = placeOf(scope, may)
        try {
          const { title } = await findOverview(db, scope)
          await keepBoth({ db, queue }, scope, origin)
          return { redirect: base, flash: { text: w.kept(title) } }
        } catch (error) {
          return refusal(error, `${base}/${scope.documentId}`, base)
        }
      },
    )
}

/** A sentence, and the page that shows how things are. @throws any other error */
function refusal(error: unknown, address: string, base: string, other = '') {
  const says = (redirect: string, text: string) => ({ redirect, flash: { text, isError: true } })
  if (isError(error, 'document_not_found'))
    return says(base, 'Somebody has answered this already, or deleted the file.')
  if (isError(error, 'invalid_transition')) return says(address, 'Somebody has answered this already.')
  if (isError(error, 'precondition_failed'))
    return says(
      address,
      `Nothing was replaced: somebody has changed “${other}” in the meantime. Check what would change now.`,
    )
  if (isError(error, 'rate_limited')) return says(address, words.documents.busy)
  throw error
}
