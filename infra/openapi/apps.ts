import type { Hono } from 'hono'
import { agentsApp } from '../../functions/agents/app.ts'
import { chunksApp } from '../../functions/chunks/app.ts'
import { documentsApp } from '../../functions/documents/app.ts'
import { mcpApp } from '../../functions/mcp/app.ts'
import { organizationApp } from '../../functions/organization/app.ts'
import { platformsApp } from '../../functions/platforms/app.ts'
import { questionsApp } from '../../functions/questions/app.ts'
import { referenceApp } from '../../functions/reference/app.ts'
import { searchApp } from '../../functions/search/app.ts'
import { snapshotApp } from '../../functions/snapshot/app.ts'
import { Database } from '../../shared/database/database.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import type { ApiEnv } from '../../shared/http/api.ts'
import { type RouteMetadata, routeMetadata } from '../../shared/http/route-metadata.ts'

export interface Route {
  lambda: string
  method: string
  path: string
  operation: RouteMetadata
}

function unused(): never {
  throw new Error('These apps are only described, not called')
}
const presigner = { bucket: '', origin: '', presignPost: unused, presignGet: unused }

export function allApps(db: Database): Record<string, Hono<ApiEnv>> {
  return {
    documents: documentsApp({ db, queue: { send: () => Promise.resolve() }, presigner }),
    chunks: chunksApp({ db }),
    search: searchApp({ db, embedder: lexicalEmbedder() }),
    snapshot: snapshotApp({ db }),
    platforms: platformsApp({ db, embedder: lexicalEmbedder() }),
    mcp: mcpApp({ db, embedder: lexicalEmbedder() }),
    organization: organizationApp({ db }),
    agents: agentsApp({ db }),
    questions: questionsApp({ db, embedder: lexicalEmbedder() }),
    reference: referenceApp({ document: '{}' }),
  }
}

export function allRoutes(): Route[] {
  const db = new Database({
    url: unused,
    timeoutSeconds: 1,
  })
  return Object.entries(allApps(db)).flatMap(([lambda, app]) => routesOf(lambda, app))
}

/** Leaves out the page that shows the document, because browsers load it and clients don't call it. */
export function documentedRoutes(): Route[] {
  return allRoutes().filter(({ operation }) => !operation.isUndocumented)
}

/** @throws Error for a handler without metadata, which nothing would check or document */
export function routesOf(lambda: string, app: Hono<ApiEnv>): Route[] {
  return app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path, handler }) => {
      const declared = routeMetadata(handler)
      if (!declared) throw new Error(`${method} ${path} of ${lambda} has a handler without route metadata`)
      return { lambda, method, path: path.replaceAll(/:(\w+)(\{[^/]+\})?/g, '{$1}'), operation: declared }
    })
}
