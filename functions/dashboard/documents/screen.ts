import { Hono } from 'hono'
import type { Bucket } from '../../../shared/files/bucket.ts'
import type { ApiEnv } from '../../../shared/http/api.ts'
import type { Sender } from '../../../shared/queue.ts'
import type { Screen } from '../screen.ts'
import { documentScreens } from './document-screens.ts'
import { listScreens } from './list-screens.ts'
import { textScreens } from './text/screens.ts'
import { uploadRoutes } from './upload/routes.ts'

export interface DocumentsDependencies {
  queue: Sender
  bucket: Pick<Bucket, 'name' | 'origin' | 'presignPost' | 'presignGet'>
}

/** In this order: `…/documents/new` is no document's id. */
export function documentsScreens(screen: Screen, { queue, bucket }: DocumentsDependencies) {
  return new Hono<ApiEnv>()
    .route('/', listScreens(screen))
    .route('/', uploadRoutes(screen, queue, bucket))
    .route('/', textScreens(screen, queue))
    .route('/', documentScreens(screen, queue, bucket))
}
