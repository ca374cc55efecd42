import type { Context } from 'hono'
import { html } from 'hono/html'
import { HTTPException } from 'hono/http-exception'
import { type ApiEnv, idsOf } from '../../shared/http/api.ts'
import { ApiError, type ErrorCode } from '../../shared/http/errors.ts'
import type { Permission } from '../../shared/organizations/permissions.ts'
import type { Session } from '../../shared/organizations/sessions.ts'
import { logFailure } from '../../shared/telemetry/log-failure.ts'
import { Unavailable } from '../../shared/unavailable.ts'
import type { View } from './layout.ts'
import { permissionNames } from './permission-names.ts'

/** The screen's subject does not exist, or belongs to another organization. */
export class Gone extends Error {}

type Page = readonly [title: string, lead: string, status: View['status']]

const gone: Page = ['This page doesn’t exist', 'The link may be out of date, or the page may have been deleted.', 404]
const invalid: Page = ['This request is invalid', 'Nothing was changed. Go back, reload the page and try again.', 400]
const pages: Partial<Record<ErrorCode, Page>> = {
  rate_limited: [
    'Too many documents are being processed',
    'Nothing was changed. Wait until some of them are ready, then go back and try again.',
    429,
  ],
  unsupported_media_type: invalid,
  validation_failed: invalid,
  invalid_cursor: invalid,
}

export function isError(error: unknown, code: ErrorCode): error is ApiError {
  return error instanceof ApiError && error.code === code
}

/** Explains an error and what to do about it. Logs an unknown error and shows only the request's ID. */
export function errorView(c: Context<ApiEnv>, error: unknown): View {
  const [title, lead, status] = pageOf(error, c.get('key')) ?? unexpected(c, error)
  return { title, lead, status, content: html`<p><a class="button" href="/dashboard">Back to agents</a></p>` }
}

function pageOf(error: unknown, session: Partial<Session> | undefined): Page | undefined {
  if (error instanceof HTTPException && error.status === 403)
    return ['This request didn’t come from Cuecard', invalid[1], 403]
  if (error instanceof Gone) return gone
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'rate_limited' && !session)
    return ['Too many attempts from your network', 'Wait a minute, then try again.', 429]
  if (error.code !== 'missing_permission')
    return pages[error.code] ?? (error.code.endsWith('_not_found') ? gone : undefined)
  if (session?.person || error.message === 'people')
    return ['Your role doesn’t allow this', 'Ask an owner of your organization.', 403]
  return [
    'Your key doesn’t allow this',
    `This key doesn’t have the “${permissionNames[error.message as Permission]}” permission. Ask whoever gave it to you for one that does.`,
    403,
  ]
}

function unexpected(c: Context<ApiEnv>, error: unknown): Page {
  logFailure(error, idsOf(c))
  if (error instanceof Unavailable)
    return ['Cuecard is temporarily unavailable', 'Nothing is lost. Wait a moment, then reload the page.', 503]
  return [
    'Something went wrong on our side',
    `Error ID ${c.get('requestId')}. Try again; if it keeps happening, send this ID to whoever runs Cuecard.`,
    500,
  ]
}
