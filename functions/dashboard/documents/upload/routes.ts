import { Hono } from 'hono'
import * as v from 'valibot'
import { createFileDocument } from '../../../../shared/documents/create-file-document.ts'
import type { Bucket } from '../../../../shared/files/bucket.ts'
import { fileTypeOf, maxFileBytes } from '../../../../shared/files/file-types.ts'
import type { ApiEnv } from '../../../../shared/http/api.ts'
import { agentPath } from '../../../../shared/ids.ts'
import { getAgent } from '../../../../shared/organizations/agents.ts'
import { oneLine } from '../../forms.ts'
import type { Screen } from '../../screen.ts'
import { words } from '../../words.ts'
import { tooMany } from '../edits.ts'
import { listPath } from '../place.ts'

const w = words.documents.upload

const bytes = v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number), v.minValue(1, w.empty))
const announced = v.object({
  name: v.pipe(
    v.string(w.otherType),
    v.check((name) => fileTypeOf(name) !== undefined, w.otherType),
  ),
  bytes: v.pipe(bytes, v.maxValue(maxFileBytes, w.tooLarge)),
})

/** For upload.js: a document for a file that the browser is about to post, and the form to post it with. */
export function uploadRoutes(screen: Screen, bucket: Pick<Bucket, 'name' | 'presignPost'>) {
  return new Hono<ApiEnv>().post(
    `${listPath}/files`,
    screen({ permission: 'kb:write', params: agentPath, form: announced }, async ({ c, db, session, params, form }) => {
      const scope = { organizationId: session.organizationId, ...params }
      if (!form.isValid) {
        await getAgent(db, scope)
        return c.json({ message: Object.values(form.faults)[0] }, 422)
      }
      const { name, bytes } = form.values
      const origin = { requestId: c.get('requestId'), apiKeyId: session.id }
      const file = { title: titleOf(name), fileName: name, fileBytes: bytes, bucket: bucket.name }
      try {
        const { document, key } = await createFileDocument(db, scope, file, origin)
        return c.json({ documentId: document.id, ...bucket.presignPost(key, maxFileBytes) }, 201)
      } catch (error) {
        const { message, status } = tooMany(error)
        return c.json({ message }, status)
      }
    }),
  )
}

const maxTitleCharacters = 500

/** The file's name without its extension. */
function titleOf(name: string): string {
  const stem = oneLine(name.replace(/\.\w+$/, ''))
  return [...(stem || name)].slice(0, maxTitleCharacters).join('')
}
