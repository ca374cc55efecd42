import { compress } from 'hono/compress'
import { csrf } from 'hono/csrf'
import { html } from 'hono/html'
import { secureHeaders } from 'hono/secure-headers'
import type { Mailer } from '../../shared/aws/mail.ts'
import { type ChunkSize, standardSize } from '../../shared/chunking/chunker.ts'
import type { Database } from '../../shared/database/database.ts'
import type { Embedder } from '../../shared/embedding/embedder.ts'
import type { Presigner } from '../../shared/files/presigner.ts'
import { api } from '../../shared/http/api.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { originOf } from '../../shared/http/origin.ts'
import { answering } from '../../shared/retrieval/answer.ts'
import { systemClock } from '../../shared/retrieval/clock.ts'
import { timeouts } from '../../shared/retrieval/timeouts.ts'
import type { Sender } from '../../shared/work/outbox.ts'
import { addAgentScreens } from './agents.ts'
import { addAskScreens } from './ask/screen.ts'
import { assets } from './assets.ts'
import { addCheckScreens } from './checks/screen.ts'
import { addConnectScreens, leadsBack } from './connect.ts'
import { addClosedScreens } from './documents/closed.ts'
import { addConflictRoutes } from './documents/conflict-screens.ts'
import { addDocumentScreens } from './documents/document-screens.ts'
import { addHistoryScreens } from './documents/history.ts'
import { addListScreens } from './documents/list-screens.ts'
import { addSelectionRoute } from './documents/selection.ts'
import { addTextScreens } from './documents/text/screens.ts'
import { addUploadRoutes } from './documents/upload.ts'
import { addVersionRoutes } from './documents/version.ts'
import { errorView } from './error-view.ts'
import { addHomeScreen } from './home.ts'
import { plainLayout } from './layout.ts'
import { addCallScreens } from './questions/call.ts'
import { addQuestionScreens } from './questions/screen.ts'
import { screensOf } from './screen.ts'
import { currentSession } from './session/current-session.ts'
import { invitationRoutes } from './session/invitation.ts'
import { mailLinkRoutes } from './session/mail-link.ts'
import { type OidcProvider, oidcRoutes } from './session/oidc.ts'
import { addOrganizationScreens } from './session/organizations.ts'
import { signInRoutes } from './session/sign-in.ts'
import { addPeopleScreens } from './settings/people.ts'
import { addSettingsScreens } from './settings/screen.ts'
import { addTrashScreens } from './trash.ts'
import { addWebsiteScreens } from './websites/screen.ts'

export interface Dependencies {
  db: Database
  queue: Sender
  presigner: Presigner
  embedder: Embedder
  chunkSize?: ChunkSize
  /** Without it, no mail is sent. */
  mailer?: Mailer | undefined
  oidc?: OidcProvider | undefined
  /** Lets people sign in with API keys, too. */
  keySignIn?: boolean
  now?: () => number
}

export function dashboardApp({
  db,
  queue,
  presigner,
  embedder,
  mailer,
  oidc,
  keySignIn = false,
  chunkSize = standardSize,
  now,
}: Dependencies) {
  const findSession = currentSession(db, keySignIn, now)
  const app = api()
  app.use('/dashboard/connect', leadsBack)
  app.use(headers(presigner.origin))
  app.use(csrf({ origin: (origin, c) => origin === originOf(c.req) }))

  app.get('/dashboard/assets/:file', (c) => assets.respond(c, c.req.param('file')) ?? c.notFound())
  app.use(compress({ encoding: 'gzip' }))

  const ways = { mail: mailer !== undefined, keys: keySignIn, oidc: oidc?.name }
  app.route('/', signInRoutes(db, findSession, ways))
  if (mailer) app.route('/', mailLinkRoutes(db, mailer, ways))
  if (oidc) app.route('/', oidcRoutes(db, oidc))
  app.route('/', invitationRoutes(db, findSession))
  const screens = screensOf(app, db, findSession)
  addHomeScreen(screens)
  addAgentScreens(screens)
  // The order matters: `…/documents/new` must match before `…/documents/:documentId`.
  addListScreens(screens)
  addSelectionRoute(screens)
  addUploadRoutes(screens, queue, presigner)
  const checking = { embedder, chunkSize }
  addVersionRoutes(screens, queue, checking)
  addConflictRoutes(screens, queue, checking)
  addClosedScreens(screens, queue)
  addTextScreens(screens, queue, checking)
  addHistoryScreens(screens, queue, checking)
  addDocumentScreens(screens, queue, presigner, checking)
  addWebsiteScreens(screens, queue)
  addTrashScreens(screens, queue)
  const { answer } = answering(embedder, systemClock, timeouts)
  addAskScreens(screens, answer)
  addQuestionScreens(screens, answer)
  addCallScreens(screens)
  addCheckScreens(screens, embedder)
  addSettingsScreens(screens)
  addPeopleScreens(screens, mailer)
  addOrganizationScreens(screens, db)
  addConnectScreens(screens, now)

  screens.get('/dashboard/*', { permission: 'any' }, () => {
    throw new ApiError('route_not_found', 'There is no such screen.')
  })
  app.notFound((c) => c.html(plainError(errorView(c, new ApiError('route_not_found', 'There is no such route.'))), 404))
  app.onError((error, c) => {
    const view = errorView(c, error)
    if (error instanceof ApiError) for (const [name, value] of Object.entries(error.headers)) c.header(name, value)
    return c.html(plainError(view), view.status)
  })
  return app
}

function plainError({ title, lead, content }: ReturnType<typeof errorView>) {
  return plainLayout(title, html`<p class="lead">${lead}</p>${content}`)
}

/** Allows scripts and styles from this host only, none inline and none built from strings. Files also use their bucket. */
function headers(filesOrigin: string) {
  const own = ["'self'", filesOrigin]
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: [...own, 'data:'],
      connectSrc: own,
      formAction: own,
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ['cuecard'],
    },
    // With `no-referrer`, browsers send a form's `Origin` as null.
    referrerPolicy: 'same-origin',
    xFrameOptions: 'DENY',
  })
}
