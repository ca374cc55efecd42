import { neonConfig } from '@neondatabase/serverless'
import { afterEach } from 'vitest'

/**
 * Stands between this process and the database, and cuts connections as a script says. `before`: the statement never arrives; `after`: it takes
 * effect, and its answer is lost.
 */
export function useFaultyConnection() {
  let cuts: { matching: RegExp; when: 'before' | 'after' }[] = []
  let intrusions: { matching: RegExp; act: () => Promise<unknown> }[] = []

  neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
    const intrusion = intrusions.find(({ matching }) => matching.test(String(init.body)))
    if (intrusion) intrusions = intrusions.filter((other) => other !== intrusion)
    await intrusion?.act()
    const cut = cuts.find(({ matching }) => matching.test(String(init.body)))
    if (cut) cuts = cuts.filter((other) => other !== cut)
    if (cut?.when === 'before') throw new TypeError('fetch failed')
    const response = await fetch(url, init)
    if (cut?.when !== 'after') return response
    await response.arrayBuffer()
    throw new TypeError('fetch failed')
  }
  afterEach(() => {
    cuts = []
    intrusions = []
  })

  return {
    /** Cuts the connection of the next statement or batch that matches. */
    cut(when: 'before' | 'after', matching: RegExp) {
      cuts.push({ when, matching })
    },
    /** Does something just before the next statement or batch that matches. */
    before(matching: RegExp, act: () => Promise<unknown>) {
      intrusions.push({ matching, act })
    },
  }
}
