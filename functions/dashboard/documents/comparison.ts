import type { Database } from '../../../shared/database/database.ts'
import type { DocumentScope } from '../../../shared/database/scope.ts'
import { maxContentBytes } from '../../../shared/documents/max-content-bytes.ts'
import type { DocumentId } from '../../../shared/ids.ts'
import type { Html } from '../layout.ts'
import { changesView } from './history/view.ts'
import { readEditable } from './text/text.ts'
import type { Changes } from './version/changes.ts'

/** What a held document would change in the other one's text, by words. @throws ApiError document_not_found */
export async function comparisonView(
  db: Database,
  scope: DocumentScope,
  { otherId, otherTitle }: Changes,
): Promise<Html> {
  const [before, after] = await Promise.all(
    [otherId as DocumentId, scope.documentId].map((documentId) =>
      readEditable(db, { ...scope, documentId }, maxContentBytes),
    ),
  )
  return changesView(before?.content ?? '', after?.content ?? '', {
    changes: `What would change in “${otherTitle}”`,
    legend: { removed: 'removed', added: 'new' },
  })
}
