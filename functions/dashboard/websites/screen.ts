import { isDeepStrictEqual } from 'node:util'
import { html } from 'hono/html'
import * as v from 'valibot'
import type { AgentScope } from '../../../shared/database/scope.ts'
import { deleteWebsite } from '../../../shared/websites/delete-website.ts'
import { followAgain } from '../../../shared/websites/follow-again.ts'
import {
  createWebsite,
  getWebsite,
  listWebsites,
  maxWebsites,
  refreshWebsite,
  updateWebsite,
  type Website,
} from '../../../shared/websites/websites.ts'
import type { Sender } from '../../../shared/work/outbox.ts'
import { Gone, isError } from '../error-view.ts'
import type { Sent } from '../form-view.ts'
import { oneLine } from '../forms.ts'
import { agentPage, type View } from '../layout.ts'
import { isIgnoring } from '../refused-change.ts'
import type { Screens } from '../screen.ts'
import { siteName } from '../sentences.ts'
import { undoing } from '../trash.ts'
import { changedForm, formView, kinds, newForm, toInput, toTyped } from './form.ts'
import { readPages, readStandings } from './pages.ts'
import { listView, websiteActions, websitePage, websiteView } from './view.ts'

const base = '/dashboard/agents/:agentId/sources'
const one = `${base}/:sourceId` as const
const tab = 'sources'
const reading = { permission: 'kb:read', tab } as const
const writing = { permission: 'kb:write', tab } as const
const pagesPerPage = 100
const looking = 'The website is being looked at.'
const followForm = v.object({ address: v.string() })
const pagesQuery = v.object({
  show: v.optional(v.string()),
  after: v.pipe(v.optional(v.string(), ''), v.transform(oneLine)),
})

export function addWebsiteScreens(screens: Screens, queue: Sender) {
  screens
    .get(base, reading, async ({ db, scope, may }) => {
      const [{ sources }, standings] = await Promise.all([
        listWebsites(db, scope, { limit: maxWebsites }),
        readStandings(db, scope),
      ])
      const mayWrite = may('kb:write')
      const shown = sources.flatMap((source) => {
        const standing = standings.get(source.id)
        return standing ? [{ ...source, standing }] : []
      })
      return {
        title: 'Websites',
        lead: 'Your agent also answers from the pages of these websites. Cuecard looks at them regularly, so callers hear about changes automatically.',
        actions:
          mayWrite && html`<a class="button plain" href="${agentPage(scope.agentId, 'sources')}/new">Add website</a>`,
        content: listView(scope.agentId, shown, mayWrite),
      }
    })
    .get(`${base}/new`, writing, ({ scope }) => newPage(scope, {}))
    .post(`${base}/new`, { ...writing, form: newForm }, async ({ db, scope, form, origin }) => {
      if (!form.isValid) return { ...newPage(scope, form), status: 422 }
      const refused = (url: string): View => ({ ...newPage(scope, { ...form, faults: { url } }), status: 422 })
      try {
        const { id } = await createWebsite({ db, queue }, scope, toInput(form.values), origin)
        return { redirect: websitePage(scope.agentId, id), flash: { text: looking } }
      } catch (error) {
        if (isError(error, 'source_exists')) return refused('This website has already been added.')
        if (isError(error, 'validation_failed')) return refused(error.message)
        throw error
      }
    })
    .get(one, reading, async ({ c, db, scope, isPartial, may }) => {
      const { show, after } = v.parse(pagesQuery, c.req.query())
      const isLeftOut = show === 'left_out'
      const [source, standings, { pages, hasMore }] = await Promise.all([
        getWebsite(db, scope),
        readStandings(db, scope),
        readPages(db, scope, { after, isLeftOut, limit: pagesPerPage }),
      ])
      const standing = standings.get(source.id)
      if (!standing) throw new Gone()
      const mayWrite = may('kb:write') && source.status !== 'deleting'
      const content = websiteView(
        scope.agentId,
        { ...source, standing },
        { pages, hasMore, after, isLeftOut, mayWrite },
      )
      if (isPartial) return { fragment: content }
      const actions = mayWrite && websiteActions(websitePage(scope.agentId, source.id))
      return { crumbs: [], title: siteName(source.url), content, lead: kinds[source.kind], actions }
    })
    .post(`${one}/refresh`, writing, async ({ db, scope, origin }) => {
      await refreshWebsite({ db, queue }, scope, origin)
      return { redirect: websitePage(scope.agentId, scope.sourceId), flash: { text: looking } }
    })
    .post(`${one}/follow`, { ...writing, form: followForm }, async ({ db, scope, form, origin }) => {
      if (form.isValid) await followAgain({ db, queue }, scope, form.values.address, origin)
      const text = 'The page is followed again. Its text is restored with this look.'
      return { redirect: websitePage(scope.agentId, scope.sourceId), flash: { text } }
    })
    .get(`${one}/edit`, writing, async ({ db, scope }) => {
      const source = await getWebsite(db, scope)
      return editPage(scope, source, { typed: toTyped(source) })
    })
    .post(`${one}/edit`, { ...writing, form: changedForm }, async ({ db, scope, form, origin }) => {
      const source = await getWebsite(db, scope)
      if (!form.isValid) return { ...editPage(scope, source, form), status: 422 }
      const { include, exclude, refresh_hours } = form.values
      // Changed paths start a crawl, so unchanged ones are left out.
      const isOther = !isDeepStrictEqual([include, exclude], [source.include, source.exclude])
      const changes = { refresh_hours, ...(isOther && { include, exclude }) }
      await updateWebsite({ db, queue }, scope, changes, origin)
      return { redirect: websitePage(scope.agentId, source.id), flash: { text: 'The website was saved.' } }
    })
    .post(`${one}/delete`, writing, async ({ c, db, scope, origin }) => {
      const { id, url } = await getWebsite(db, scope)
      await deleteWebsite({ db, queue }, scope, { ignores: isIgnoring(c), toTrash: true }, origin)
      const flash = { text: `“${siteName(url)}” is in the trash.`, undo: undoing(scope.agentId, 'website', [id]) }
      return { redirect: agentPage(scope.agentId, 'sources'), flash }
    })
}

function newPage({ agentId }: AgentScope, sent: Sent): View {
  return { crumbs: [], title: 'Add website', content: formView(agentPage(agentId, 'sources'), true, sent) }
}

function editPage({ agentId }: AgentScope, { id, url }: Website, sent: Sent): View {
  const address = websitePage(agentId, id)
  return {
    crumbs: [[siteName(url), address]],
    title: 'Change what is read',
    content: formView(address, false, sent),
    lead: 'The address can’t be changed. For another one, add another website.',
  }
}
