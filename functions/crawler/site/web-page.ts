import { firstHeading } from '../../../shared/text/blocks.ts'
import { cleanText } from '../../../shared/text/clean-text.ts'
import { attribute, type Element, elementsOf, type Node, textOf } from '../../../shared/text/html/elements.ts'
import { parseHtml, readDocument } from '../../../shared/text/html/html.ts'
import { toMarkdown } from '../../../shared/text/markdown.ts'
import { saneTitle } from '../../../shared/text/title.ts'
import { Unreadable } from '../../../shared/text/unreadable.ts'
import { canonical } from '../../../shared/websites/address.ts'
import { hostOf } from './address.ts'
import { secure } from './follow.ts'
import { asksNotToBeListed, robotsRules } from './robots-tag.ts'

export interface WebPage {
  title?: string | undefined
  text: string
  links?: string[]
  /** The address that the page gives itself, if that can be true. */
  ownAddress?: string | undefined
  isNoindex: boolean
  /** The address on the same host to which the page sends its readers within seconds. */
  leadsTo?: string | undefined
  hasPassword?: boolean
  /** True if scripts put the text into the page. */
  isApp?: boolean
}

const maxLinks = 5_000
/** A page that sends its readers on later is read itself. */
const maxRefreshSeconds = 5
/** Reading more would take seconds and hundreds of megabytes. */
const maxTags = 60_000
const noPage =
  /\.(jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|mov|avi|webm|og[gv]|wav|css|m?js|json|xml|rss|atom|woff2?|ttf|exe|dmg|apk|ics|vcf)$/i
/** Links that change a cart, answer a comment or end a session. */
const action =
  /[?&](add[-_]to[-_]\w+|remove_item|replytocom|_wpnonce|action|logout)=|\/cdn-cgi\/|\/(log-?out|sign-?out|wp-login\.php|wp-admin|cart\/add)(\/|$|\?)/i
const emptyRoot = /^(root|app|__next|__nuxt|___gatsby|q-app)$/

/** @param robotsTags the values of `X-Robots-Tag` @throws Unreadable */
export function readWebPage(html: string, address: string, robotsTags: readonly string[]): WebPage {
  if ([...html.matchAll(/<[a-z]/gi).take(maxTags + 1)].length > maxTags) throw new Unreadable('too_complex')
  const document = parseHtml(html)
  const found = Map.groupBy(elementsOf(document.childNodes), ({ tagName }) => tagName)
  const all = (...names: string[]) => names.flatMap((name) => found.get(name) ?? [])
  const metas = (name: RegExp) =>
    all('meta')
      .filter((meta) =>
        name.test(['name', 'property', 'http-equiv'].map((each) => attribute(meta, each) ?? '').find(Boolean) ?? ''),
      )
      .map((meta) => attribute(meta, 'content') ?? '')
  const rules = robotsRules(metas(/^(robots|cuecard)$/i), robotsTags)
  const base = URL.parse(attributesOf(all('base'), 'href')[0] ?? '', address)?.href ?? address
  const here = (href: string) => {
    const known = canonical(secure(URL.parse(href, base)?.href ?? '', address))
    return known && hostOf(known) === hostOf(address) ? known : []
  }
  const followed = all('a', 'area').filter((link) => !hasRel(link, 'nofollow'))
  const targets = metas(/^refresh$/i).map((content) => {
    const end = content.search(/[;,]/)
    const target = content
      .slice(end + 1)
      .trim()
      .replace(/^url\s{0,9}=\s{0,9}/i, '')
      .replaceAll(/^['"]|['"]$/g, '')
    return { seconds: Number(content.slice(0, end)), addresses: end < 0 || !target ? [] : [here(target)].flat() }
  })
  const links = new Set([
    ...attributesOf(followed, 'href').flatMap(here),
    ...targets.flatMap(({ addresses }) => addresses),
  ])
  const own = attributesOf(
    all('link').filter((link) => hasRel(link, 'canonical')),
    'href',
  ).flatMap(here)[0]
  const isApp =
    all('div').some((div) => emptyRoot.test(attribute(div, 'id') ?? '') && div.childNodes.every(isBlank)) ||
    all('noscript').some(({ childNodes }) => /javascript/i.test(childNodes.map(textOf).join(' ')))
  const hasPassword = attributesOf(all('input'), 'type').some((type) => /^password$/i.test(type))
  const { blocks, title } = readDocument(document)
  const heading = firstHeading(blocks)
  return {
    title: saneTitle([
      ownTitle(title, heading, [...metas(/^(og:site_name|application-name)$/i), hostOf(address)]),
      heading,
      title,
    ]),
    text: cleanText(toMarkdown(blocks)),
    links:
      rules.has('nofollow') || rules.has('none')
        ? []
        : [...links].filter((link) => link !== address && isPage(link)).slice(0, maxLinks),
    ownAddress: own !== undefined && lastPart(own) === lastPart(address) ? own : undefined,
    isNoindex: asksNotToBeListed(rules),
    leadsTo: targets
      .flatMap(({ seconds, addresses }) => (seconds <= maxRefreshSeconds ? addresses : []))
      .find((target) => target !== address),
    hasPassword,
    isApp,
  }
}

const place = /^(home ?page|home|index|start|startseite|welcome|willkommen|accueil)$/i

/** The part of a page's title that is its heading; else all parts but the site's name and such words as “Home”. @param names the site's, and its host */
function ownTitle(title = '', heading = '', names: readonly string[]): string {
  const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  const site = new Set(names.flatMap((name) => [name, name.replace(/^www\./, '').split('.')[0]!]).map(lettersOf))
  const headed = lettersOf(heading)
  const parts = title.split(/ ?\| ?| [–—·•»:-] /)
  const own = parts.filter((part) => !place.test(part.trim()) && !site.has(lettersOf(part)))
  return own.find((part) => lettersOf(part) === headed) ?? (own.length < parts.length ? own.join(' – ') : title)
}

function attributesOf(elements: readonly Element[], name: string): string[] {
  return elements.flatMap((element) => attribute(element, name) ?? [])
}

function hasRel(link: Element, value: string): boolean {
  return (attribute(link, 'rel') ?? '').toLowerCase().split(/\s+/).includes(value)
}

function isBlank(node: Node): boolean {
  return 'value' in node && node.value.trim() === ''
}

function isPage(link: string): boolean {
  return !noPage.test(new URL(link).pathname) && !action.test(link)
}

/** Many sites name their home page as every page's canonical address, so one counts only if this part is the same. */
function lastPart(address: string): string {
  const parts = new URL(address).pathname.split('/').filter((part) => part && !/^index\.\w+$/.test(part))
  return parts.at(-1) ?? ''
}
