import type { Context } from 'hono'
import { html } from 'hono/html'
import { HTTPException } from 'hono/http-exception'
import { type ApiEnv, idsOf, logFailure } from '../../shared/http/api.ts'
import { ApiError, type ErrorCode } from '../../shared/http/errors.ts'
import type { Permission } from '../../shared/permissions.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import type { View } from './layout.ts'
import { words } from './words.ts'

/** The screen's subject does not exist, or belongs to another organization. */
export class Gone extends Error {}

type Page = readonly [title: string, lead: string, status: View['status']]

const { errors } = words
const gone: Page = [errors.gone, errors.notFoundLead, 404]
const invalid: Page = [errors.invalid, errors.invalidLead, 400]
const pages: Partial<Record<ErrorCode, Page>> = {
  route_not_found: [errors.notFound, errors.notFoundLead, 404],
  agent_not_found: gone,
  document_not_found: gone,
  revision_not_found: gone,
  golden_question_not_found: gone,
  webhook_not_found: gone,
  delivery_not_found: gone,
  source_not_found: gone,
  rate_limited: [errors.busy, errors.busyLead, 429],
  unsupported_media_type: invalid,
  validation_failed: invalid,
  invalid_cursor: invalid,
}

export function isError(error: unknown, code: ErrorCode): error is ApiError {
  return error instanceof ApiError && error.code === code
}

/** Explains an error to a person and what to do. Unknown errors are logged, and answered opaque. */
export function errorView(c: Context<ApiEnv>, error: unknown): View {
  const [title, lead, status] = pageOf(error) ?? unexpected(c, error)
  return { title, lead, status, content: html`<p><a class="button" href="/dashboard">${errors.home}</a></p>` }
}

function pageOf(error: unknown): Page | undefined {
  if (error instanceof HTTPException && error.status === 403) return [errors.foreign, errors.foreignLead, 403]
  if (error instanceof Gone) return gone
  if (!(error instanceof ApiError)) return undefined
  if (error.code !== 'missing_permission') return pages[error.code]
  return [errors.forbidden, errors.forbiddenLead(words.permissions[error.message as Permission]), 403]
}

function unexpected(c: Context<ApiEnv>, error: unknown): Page {
  logFailure(error, idsOf(c))
  if (error instanceof Unavailable) return [errors.unavailable, errors.unavailableLead, 503]
  return [errors.unexpected, errors.unexpectedLead(c.get('requestId')), 500]
}
