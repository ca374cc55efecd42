/** Rules with a value of their own, such as `max-image-preview:none`. Source: Google's robots meta tag specifications. */
const withValue = /^(max-snippet|max-image-preview|max-video-preview|unavailable_after)$/

/**
 * The rules that a page gives to every crawler or to Cuecard, in lower case: `noindex`, `nofollow`, `none`.
 * @param metas contents of `<meta name="robots">` and `<meta name="cuecard">`
 * @param headers values of `X-Robots-Tag`, which may name the crawler that they are for ("otherbot: noindex, nofollow")
 */
export function robotsRules(metas: readonly string[], headers: readonly string[]): ReadonlySet<string> {
  return new Set([...metas, ...headers].flatMap(rulesForUs))
}

export function asksNotToBeListed(rules: ReadonlySet<string>): boolean {
  return rules.has('noindex') || rules.has('none')
}

function rulesForUs(value: string): string[] {
  let isForUs = true
  return value.split(',').flatMap((part) => {
    const [name = '', ...rest] = part.toLowerCase().split(':')
    if (rest.length === 0) return isForUs ? [name.trim()] : []
    if (withValue.test(name.trim())) return []
    isForUs = /^(cuecard|robots|\*)$/.test(name.trim())
    return isForUs ? [rest.join(':').trim()] : []
  })
}
