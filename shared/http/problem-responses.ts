import type { Context, Hono } from 'hono'
import type { ApiEnv } from './api.ts'
import { ApiError, problem } from './errors.ts'

interface ProblemEnv {
  Variables: Pick<ApiEnv['Variables'], 'requestId' | 'unavailableDetail'>
}

/** Makes an app answer unknown routes, other methods and errors with problem documents. @param onFailure gets errors that are no ApiError */
export function answerProblems<Env extends ProblemEnv>(
  app: Hono<Env>,
  onFailure: (error: unknown, c: Context<Env>) => void,
): void {
  app.notFound((c) => {
    const allow = allowedMethods(app, c.req.path)
    const error =
      allow.length > 0
        ? new ApiError('method_not_allowed', `Allowed methods: ${allow.join(', ')}.`, {
            headers: { allow: allow.join(', ') },
          })
        : new ApiError('route_not_found', routeHint(c.req.path))
    return problem(error, contextOf(c))
  })
  app.onError((error, c) => {
    if (!(error instanceof ApiError)) onFailure(error, c)
    return problem(error, contextOf(c))
  })
}

function routeHint(path: string): string {
  const hint = 'All routes are documented at /v1/docs.'
  return path.slice(1).split('/').includes('') ? `A part of the path is empty: is a variable unset? ${hint}` : hint
}

function contextOf<Env extends ProblemEnv>(c: Context<Env>) {
  return { instance: c.req.path, requestId: c.get('requestId'), unavailableDetail: c.get('unavailableDetail') }
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

function allowedMethods<Env extends ProblemEnv>(app: Hono<Env>, path: string): string[] {
  const known = methods.filter((method) => {
    const [matches] = app.router.match(method, path)
    return matches.some(([[, route]]) => route.method === method)
  })
  return known.includes('GET') ? ['GET', 'HEAD', ...known.filter((method) => method !== 'GET')] : known
}
