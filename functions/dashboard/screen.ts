import type { Context, Handler, Hono } from 'hono'
import { html } from 'hono/html'
import * as v from 'valibot'
import type { Database } from '../../shared/database/database.ts'
import type { ApiEnv } from '../../shared/http/api.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { type Meter, requestMeters } from '../../shared/http/request-meter.ts'
import { type AgentId, type IdsIn, idsIn, type OrganizationId } from '../../shared/ids.ts'
import { ChecksFail } from '../../shared/knowledge/commit.ts'
import { type AgentRow, getAgent } from '../../shared/organizations/agents.ts'
import type { Permission } from '../../shared/organizations/permissions.ts'
import type { Session } from '../../shared/organizations/sessions.ts'
import { timeZoneOf } from '../../shared/organizations/time-zone.ts'
import type { Origin } from '../../shared/work/message.ts'
import { errorView, isError } from './error-view.ts'
import { type Flash, setFlash, takeFlash } from './flash.ts'
import { type Form, readForm, requireForm } from './forms.ts'
import { type AgentTab, flashNotice, type Html, layout, type View } from './layout.ts'
import { refusedView } from './refused-change.ts'
import type { CurrentSession } from './session/current-session.ts'
import { signInPath } from './session/return-path.ts'

type Schema<T> = v.GenericSchema<unknown, T>

export interface ScreenMetadata<F = unknown> {
  /**
   * The session's required permission: `any` needs none, `people` an owner, `questions` one who may read callers' questions. Not
   * optional, so that every screen must state it.
   */
  permission: Permission | 'any' | 'people' | 'questions'
  /** The screen's own tab, or the tab above it. The view then gets the path's agent. */
  tab?: AgentTab
  /** The schema of a POST's body; without it, the body is not read. */
  form?: Schema<F> | undefined
}

interface ScreenRequest<Ids, F> {
  c: Context<ApiEnv>
  db: Database
  /** Counts searches only. People's other requests have no limit, so that they can always stop a key. */
  meter: Meter
  session: Session
  /** The organization's id, and the ids in the path. */
  scope: { organizationId: OrganizationId } & Ids
  origin: Origin
  form: Form<F>
  /** True if htmx asks for a fragment of the screen. */
  isPartial: boolean
  may: (permission: Permission | 'questions') => boolean
  /** Reads the path's agent, once a request. @throws ApiError agent_not_found */
  agent: () => Promise<AgentRow>
}

/** A screen, a fragment for htmx, or a redirect. Every POST that changes something redirects. */
export type Answer = View | { fragment: Html } | { redirect: string; flash?: Flash } | Response

type Handle<Ids, F> = (request: ScreenRequest<Ids, F>) => Promise<Answer> | Answer

type AddScreen = <Path extends string, F = undefined>(
  path: Path,
  metadata: ScreenMetadata<F>,
  handle: Handle<IdsIn<Path>, F>,
) => Screens

export type Screens = Record<'get' | 'post', AddScreen>

/**
 * Adds routes to the dashboard's app. Each checks session, permission, path and form, in this order, and renders its handler's
 * answer or error. The tests read the metadata of every route.
 */
export function screensOf(app: Hono<ApiEnv>, db: Database, findSession: CurrentSession): Screens {
  const meterOf = requestMeters(db)
  const screens: Screens = { get: adding('GET'), post: adding('POST') }
  return screens

  function adding(method: string): AddScreen {
    return (path, metadata, handle) => {
      app.on(method, path, screen(path, metadata, handle))
      return screens
    }
  }

  function screen<Path extends string, F>(
    path: Path,
    metadata: ScreenMetadata<F>,
    handle: Handle<IdsIn<Path>, F>,
  ): Handler<ApiEnv> {
    const schema = (idsIn(path) ?? v.object({})) as unknown as Schema<IdsIn<Path>>
    const run: Handler<ApiEnv> = async (c) => {
      const isPartial = c.req.header('hx-request-type') === 'partial'
      const session = await findSession(c)
      if (!session) return askToSignIn(c, isPartial)
      c.set('key', session)
      const may = (permission: Permission | 'people' | 'questions') => {
        if (permission === 'people') return session.person?.role === 'owner'
        return permission === 'questions' ? session.mayReadQuestions : session.permissions.includes(permission)
      }
      const meter = meterOf(session.organizationId)
      const sent = { organizationId: session.organizationId, agentId: c.req.param('agentId') as AgentId }
      let found: Promise<AgentRow> | undefined
      const agent = () => {
        found ??= getAgent(db.forAgent(sent), sent)
        return found
      }
      try {
        if (metadata.permission !== 'any' && !may(metadata.permission))
          throw new ApiError(
            'missing_permission',
            metadata.permission === 'questions' ? 'kb:write' : metadata.permission,
          )
        const scope = { organizationId: session.organizationId, ...readPath(schema, c.req.param()) }
        const request = {
          c,
          db: db.forAgent(scope),
          meter,
          session,
          scope,
          origin: { requestId: c.get('requestId'), by: session.id },
          form: await formOf(c, metadata.form),
          isPartial,
          may,
          agent,
        }
        const { tab } = metadata
        const answer = await handle(request)
        const isView = 'content' in answer && tab
        return render(c, session, isView ? { ...answer, agent: { ...(await agent()), tab } } : answer, isPartial)
      } catch (error) {
        if (isError(error, 'precondition_failed')) return render(c, session, lookAgain(c.req.path), isPartial)
        const view =
          error instanceof ChecksFail ? await refusedView(c, error, timeZoneOf(await agent())) : errorView(c, error)
        return render(c, session, view, isPartial)
      } finally {
        await meter.finish(0)
      }
    }
    metadataOf.set(run as Handler, metadata)
    return run
  }
}

const metadataOf = new WeakMap<Handler, ScreenMetadata>()

export function screenMetadata(handler: Handler): ScreenMetadata | undefined {
  return metadataOf.get(handler)
}

/** The values of a form that has no fields to fill in. @throws ApiError validation_failed, which our own forms never cause */
export function valid<F>(form: Form<F>): F {
  if (form.isValid) return form.values
  throw new ApiError('validation_failed', 'The form is incomplete.')
}

/** Leads to the page above the form's path, since somebody has edited its document after the form was loaded. */
function lookAgain(path: string): Answer {
  const text = 'Nothing was changed: somebody has changed this in the meantime. Look at it again.'
  return { redirect: path.replace(/\/[\w-]+$/, ''), flash: { text, isError: true } }
}

/** @throws ApiError route_not_found for invalid ids */
function readPath<Ids>(schema: Schema<Ids>, params: Record<string, string>): Ids {
  const result = v.safeParse(schema, params)
  if (result.success) return result.output
  throw new ApiError('route_not_found', 'There is no such screen.')
}

async function formOf<F>(c: Context<ApiEnv>, schema: Schema<F> | undefined): Promise<Form<F>> {
  if (c.req.method === 'POST') requireForm(c)
  return schema ? await readForm(c, schema) : { isValid: true, values: undefined as F, typed: {}, chosen: {} }
}

function askToSignIn(c: Context<ApiEnv>, isPartial: boolean): Response {
  const path = signInPath(c)
  if (!isPartial) return c.redirect(path, 303)
  c.header('hx-redirect', path)
  return c.body(null, 401)
}

function render(
  c: Context<ApiEnv>,
  session: Session,
  answer: Answer,
  isPartial: boolean,
): Response | Promise<Response> {
  if (answer instanceof Response) return answer
  if ('redirect' in answer) {
    if (answer.flash) setFlash(c, session, answer.flash)
    return c.redirect(answer.redirect, 303)
  }
  if (isPartial && !('fragment' in answer)) return redirectOrNotify(c, answer)
  const flash = takeFlash(c, session)
  if ('fragment' in answer)
    return c.html(
      html`${answer.fragment}${flash && html`<hx-partial hx-target="#flash">${flashNotice(flash)}</hx-partial>`}`,
    )
  // Back leads to a form that was refused, which `no-store` forbids.
  if (c.req.method === 'POST' && answer.status) c.header('cache-control', 'private, no-cache')
  return c.html(layout(answer, session, c.req.path, flash), answer.status)
}

/** Answers htmx with a whole screen instead of a fragment: shows an error as a notice, and navigates to any other screen. */
function redirectOrNotify(c: Context<ApiEnv>, { status = 200, title, lead }: View): Response | Promise<Response> {
  if (status === 200) {
    c.header('hx-redirect', `${c.req.path}${new URL(c.req.url).search}`)
    return c.body(null)
  }
  c.header('hx-retarget', '#flash')
  c.header('hx-reswap', 'innerHTML')
  return c.html(flashNotice({ text: typeof lead === 'string' ? `${title}. ${lead}` : title, isError: true }), status)
}
