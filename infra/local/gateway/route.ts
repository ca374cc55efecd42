/** The route of an HTTP API: from left to right a literal segment precedes `{variable}`, which precedes `{variable+}`. */
export function selectRoute(
  routes: readonly string[],
  path: string,
): { route: string; parameters?: Record<string, string> } | undefined {
  const candidates = routes
    .map((route) => ({ route, match: pattern(route).exec(path) }))
    .filter(({ match }) => match !== null)
    .sort((one, other) => (rank(one.route) < rank(other.route) ? -1 : 1))
  const [best] = candidates
  if (!best) return undefined
  const parameters = { ...best.match?.groups }
  return { route: best.route, ...(Object.keys(parameters).length > 0 && { parameters }) }
}

const patterns = new Map<string, RegExp>()

function pattern(route: string): RegExp {
  let compiled = patterns.get(route)
  if (!compiled) {
    compiled = route === '$default' ? /^/ : new RegExp(`^${route.split('/').map(segmentPattern).join('/')}$`, 's')
    patterns.set(route, compiled)
  }
  return compiled
}

function segmentPattern(segment: string): string {
  const variable = /^\{(\w+)(\+?)\}$/.exec(segment)
  if (!variable) return RegExp.escape(segment)
  return variable[2] ? `(?<${variable[1]}>.+)` : `(?<${variable[1]}>[^/]+)`
}

function rank(route: string): string {
  if (route === '$default') return '3'
  return route
    .split('/')
    .map((segment) => (segment.endsWith('+}') ? 2 : segment.startsWith('{') ? 1 : 0))
    .join('')
}
