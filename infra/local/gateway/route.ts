/** Selects an HTTP API's route. From left to right, a literal segment precedes `{variable}`, which precedes `{variable+}`. */
export function selectRoute(
  routes: readonly string[],
  path: string,
): { route: string; parameters?: Record<string, string> } | undefined {
  const byPrecedence = routes.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
  for (const route of byPrecedence) {
    const match = pattern(route).exec(path)
    if (match) return { route, ...(match.groups && { parameters: { ...match.groups } }) }
  }
  return undefined
}

function pattern(route: string): RegExp {
  return route === '$default' ? /^/ : new RegExp(`^${route.split('/').map(segmentPattern).join('/')}$`, 's')
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
