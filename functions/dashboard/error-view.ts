import type { Context } from 'hono'
import { html } from 'hono/html'
import { HTTPException } from 'hono/http-exception'
import { type ApiEnv, idsOf, logFailure } from '../../shared/http/api.ts'
import { ApiError } from '../../shared/http/errors.ts'
import type { Permission } from '../../shared/permissions.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import type { View } from './layout.ts'
import { words } from './words.ts'

/** The screen's subject does not exist, or belongs to another organization. */
export class Gone extends Error {}

/** Explains an error to a person and what to do. Unknown errors are logged, and answered opaque. */
export function errorView(c: Context<ApiEnv>, error: unknown): View {
  const { errors } = words
  const view = { content: html`<p><a class="button" href="/dashboard">${errors.home}</a></p>` }
  if (error instanceof HTTPException && error.status === 403)
    return { ...view, title: errors.foreign, lead: errors.foreignLead, status: 403 }
  if (error instanceof Gone) return { ...view, title: errors.gone, lead: errors.notFoundLead, status: 404 }
  if (error instanceof ApiError)
    switch (error.code) {
      case 'missing_permission':
        return {
          ...view,
          title: errors.forbidden,
          lead: errors.forbiddenLead(words.permissions[error.message as Permission]),
          status: 403,
        }
      case 'route_not_found':
        return { ...view, title: errors.notFound, lead: errors.notFoundLead, status: 404 }
      case 'agent_not_found':
      case 'document_not_found':
        return { ...view, title: errors.gone, lead: errors.notFoundLead, status: 404 }
      case 'rate_limited':
        return { ...view, title: errors.busy, lead: errors.busyLead, status: 429 }
      case 'unsupported_media_type':
      case 'validation_failed':
      case 'invalid_cursor':
        return { ...view, title: errors.invalid, lead: errors.invalidLead, status: 400 }
    }
  logFailure(error, idsOf(c))
  if (error instanceof Unavailable)
    return { ...view, title: errors.unavailable, lead: errors.unavailableLead, status: 503 }
  return { ...view, title: errors.unexpected, lead: errors.unexpectedLead(c.get('requestId')), status: 500 }
}
