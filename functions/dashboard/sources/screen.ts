import { isDeepStrictEqual } from 'node:util'
import { html } from 'hono/html'
import * as v from 'valibot'
import { agentPath, sourcePath } from '../../../shared/ids.ts'
import { getAgent } from '../../../shared/organizations/agents.ts'
import type { CrawlMessage, Sender } from '../../../shared/queue.ts'
import { deleteSource } from '../../../shared/sources/delete-source.ts'
import { followAgain } from '../../../shared/sources/follow-again.ts'
import {
  createSource,
  getSource,
  listSources,
  maxSources,
  refreshSource,
  type SourceRow,
  updateSource,
} from '../../../shared/sources/sources.ts'
import { Gone, isError } from '../error-view.ts'
import { type Faults, oneLine } from '../forms.ts'
import { agentPage, type View } from '../layout.ts'
import { isIgnoring } from '../refused-change.ts'
import type { Screens } from '../screen.ts'
import { words } from '../words.ts'
import { changedForm, formView, newForm, type Typed, toInput, toTyped } from './form.ts'
import { readPages, readStandings } from './pages.ts'
import { deleteView, listView, sourceActions, sourcePage, sourceView } from './view.ts'

const w = words.sources
const base = '/dashboard/agents/:agentId/sources'
const one = `${base}/:sourceId`
const pagesPerPage = 100
const followForm = v.object({ address: v.string() })
const pagesQuery = v.object({
  show: v.optional(v.string()),
  after: v.pipe(v.optional(v.string(), ''), v.transform(oneLine)),
})

export function addSourceScreens(screens: Screens, queue: Sender<CrawlMessage> | undefined) {
  screens
    .get(base, { permission: 'kb:read', params: agentPath }, async ({ db, scope, may }) => {
      const [{ id, name }, { sources }, standings] = await Promise.all([
        getAgent(db, scope),
        listSources(db, scope, { limit: maxSources }),
        readStandings(db, scope),
      ])
      const mayWrite = may('kb:write')
      const shown = sources.flatMap((source) => {
        const standing = standings.get(source.id)
        return standing ? [{ ...source, standing }] : []
      })
      return {
        title: 'Websites',
        lead: 'Your agent answers from pages of these websites too. They’re looked at again and again, and what changes there reaches callers by itself.',
        agent: { id, name, tab: 'sources' },
        ...(mayWrite && {
          actions: html`<a class="button plain" href="${agentPage(id, 'sources')}/new">Add website</a>`,
        }),
        content: listView(id, shown, mayWrite),
      }
    })
    .get(`${base}/new`, { permission: 'kb:write', params: agentPath }, async ({ db, scope }) => {
      return newPage(await getAgent(db, scope), {})
    })
    .post(
      `${base}/new`,
      { permission: 'kb:write', params: agentPath, form: newForm },
      async ({ db, scope, form, origin }) => {
        const agent = await getAgent(db, scope)
        if (!form.isValid) return { ...newPage(agent, form.typed, form.faults), status: 422 }
        const { include, exclude, refresh_hours, ...given } = form.values
        const refused = (url: string): View => {
          const paths = { include: include.join('\n'), exclude: exclude.join('\n') }
          return { ...newPage(agent, { ...given, ...paths, refresh_hours: `${refresh_hours}` }, { url }), status: 422 }
        }
        try {
          const { id } = await createSource({ db, queue }, scope, toInput(form.values), origin)
          return { redirect: sourcePage(agent.id, id), flash: { text: w.looking } }
        } catch (error) {
          if (isError(error, 'source_exists')) return refused('This website has been added already.')
          if (isError(error, 'validation_failed')) return refused(error.message)
          throw error
        }
      },
    )
    .get(one, { permission: 'kb:read', params: sourcePath }, async ({ c, db, scope, isPartial, may }) => {
      const { show, after } = v.parse(pagesQuery, c.req.query())
      const isLeftOut = show === 'left_out'
      const [agent, source, standings, { pages, hasMore }] = await Promise.all([
        getAgent(db, scope),
        getSource(db, scope),
        readStandings(db, scope),
        readPages(db, scope, { after, isLeftOut, limit: pagesPerPage }),
      ])
      const standing = standings.get(source.id)
      if (!standing) throw new Gone()
      const mayWrite = may('kb:write') && source.status !== 'deleting'
      const content = sourceView(agent.id, { ...source, standing }, { pages, hasMore, after, isLeftOut, mayWrite })
      if (isPartial) return { fragment: content }
      const actions = mayWrite && { actions: sourceActions(sourcePage(agent.id, source.id)) }
      return { ...pageOf(agent, source.url, content), lead: w.kinds[source.kind], ...actions }
    })
    .post(`${one}/refresh`, { permission: 'kb:write', params: sourcePath }, async ({ db, scope, origin }) => {
      await refreshSource({ db, queue }, scope, origin)
      return { redirect: sourcePage(scope.agentId, scope.sourceId), flash: { text: w.looking } }
    })
    .post(
      `${one}/follow`,
      { permission: 'kb:write', params: sourcePath, form: followForm },
      async ({ db, scope, form, origin }) => {
        if (form.isValid) await followAgain({ db, queue }, scope, form.values.address, origin)
        return {
          redirect: sourcePage(scope.agentId, scope.sourceId),
          flash: { text: 'The page is followed again, and gets its own text with this look.' },
        }
      },
    )
    .get(`${one}/edit`, { permission: 'kb:write', params: sourcePath }, async ({ db, scope }) => {
      const [agent, source] = await Promise.all([getAgent(db, scope), getSource(db, scope)])
      return editPage(agent, source, toTyped(source))
    })
    .post(
      `${one}/edit`,
      { permission: 'kb:write', params: sourcePath, form: changedForm },
      async ({ db, scope, form, origin }) => {
        const [agent, source] = await Promise.all([getAgent(db, scope), getSource(db, scope)])
        if (!form.isValid) return { ...editPage(agent, source, form.typed, form.faults), status: 422 }
        const { include, exclude, refresh_hours } = form.values
        // Other paths begin a crawl.
        const isOther = !isDeepStrictEqual([include, exclude], [source.include, source.exclude])
        const changes = { refresh_hours, ...(isOther && { include, exclude }) }
        await updateSource({ db, queue }, scope, changes, origin)
        return { redirect: sourcePage(agent.id, source.id), flash: { text: 'The website was saved.' } }
      },
    )
    .get(`${one}/delete`, { permission: 'kb:write', params: sourcePath }, async ({ db, scope }) => {
      const [agent, source] = await Promise.all([getAgent(db, scope), getSource(db, scope)])
      return below(agent, source, 'Delete this website?', deleteView(sourcePage(agent.id, source.id), source))
    })
    .post(`${one}/delete`, { permission: 'kb:write', params: sourcePath }, async ({ c, db, scope, origin }) => {
      const rest = await deleteSource({ db, queue }, scope, isIgnoring(c), origin)
      const text = rest
        ? 'The website is being deleted. Its documents are many, so this takes a few minutes.'
        : 'The website was deleted.'
      return { redirect: agentPage(scope.agentId, 'sources'), flash: { text } }
    })
}

type Named = { id: string; name: string }

function pageOf({ id, name }: Named, title: string, content: View['content']) {
  return { title, agent: { id, name, tab: 'sources' }, crumbs: [], content } as const
}

function newPage(agent: Named, typed: Typed, faults?: Faults): View {
  return pageOf(agent, 'Add website', formView(agentPage(agent.id, 'sources'), true, typed, faults))
}

function below(agent: Named, { id, url }: SourceRow, title: string, content: View['content']): View {
  return { ...pageOf(agent, title, content), crumbs: [[url, sourcePage(agent.id, id)]] }
}

function editPage(agent: Named, source: SourceRow, typed: Typed, faults?: Faults): View {
  const form = formView(sourcePage(agent.id, source.id), false, typed, faults)
  return {
    ...below(agent, source, 'Change what is read', form),
    lead: 'The address can’t be changed. For another one, add another website.',
  }
}
