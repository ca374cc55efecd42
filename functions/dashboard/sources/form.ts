import { html } from 'hono/html'
import * as v from 'valibot'
import { config } from '../../../shared/config.ts'
import { isAllowedUrl } from '../../../shared/outbound/addresses.ts'
import type { SourceRow } from '../../../shared/sources/sources.ts'
import { type Faults, faultOf, invalid, line, shortened } from '../forms.ts'
import type { Html } from '../layout.ts'
import { words } from '../words.ts'

const w = words.sources.form
const maxUrl = 1000
const [maxPaths, maxPath] = [50, 500]
const kinds = ['site', 'page', 'sitemap'] as const

const paths = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) =>
    text
      .split(/\r?\n/)
      .map((each) => each.trim())
      .filter(Boolean),
  ),
  v.maxLength(maxPaths, w.noPath),
  v.everyItem((path) => path.startsWith('/') && [...path].length <= maxPath, w.noPath),
)
const settings = {
  include: paths,
  exclude: paths,
  refresh_hours: v.pipe(
    v.string(w.noHours),
    v.regex(/^\d{1,3}$/, w.noHours),
    v.transform(Number),
    v.minValue(1, w.noHours),
    v.maxValue(720, w.noHours),
  ),
}
export const changedForm = v.object(settings)
export const newForm = v.object({
  url: v.pipe(
    line(maxUrl, { missing: w.noUrl, tooLong: 'An address can have at most 1,000 characters.' }),
    v.transform((text) => (/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`)),
    v.check((url) => isAllowedUrl(url, { isLoopbackAllowed: config().ALLOW_LOOPBACK }), w.noUrl),
    v.transform((url) => new URL(url).href),
  ),
  kind: v.picklist(kinds, 'Choose what is read.'),
  ...settings,
})

/** Nobody means the pages that links in a sitemap's file lead to. */
export function toInput({ kind, ...given }: v.InferOutput<typeof newForm>) {
  const isSitemap = kind === 'site' && /\.xml(\.gz)?$/i.test(new URL(given.url).pathname)
  return { ...given, kind: isSitemap ? ('sitemap' as const) : kind }
}

export type Typed = Partial<Record<'url' | 'kind' | 'include' | 'exclude' | 'refresh_hours', string | undefined>>

export function toTyped({ include, exclude, refresh_hours }: SourceRow): Typed {
  return { include: include.join('\n'), exclude: exclude.join('\n'), refresh_hours: `${refresh_hours}` }
}

/** @param isNew asks for the address too */
export function formView(back: string, isNew: boolean, typed: Typed, faults: Faults = {}): Html {
  const about = (name: string, hasHint = true) =>
    html`id="${name}" name="${name}" aria-describedby="${faults[name] && `${name}-fault `}${hasHint && `${name}-hint`}"${invalid(faults[name])}`
  const field = (name: string, label: string, input: Html, hint?: string) =>
    html`<div class="field"><label for="${name}">${label}</label>
${input}${faultOf(name, faults[name])}${hint && html`<p id="${name}-hint" class="hint">${hint}</p>`}</div>`
  const area = (name: 'include' | 'exclude') => html`<textarea rows="3" ${about(name)}>
${shortened(typed[name] ?? '', maxPaths * (maxPath + 2))}</textarea>`
  const { url = '', kind = 'site', refresh_hours = '24' } = typed
  const further = html`${field('include', 'Only these paths', area('include'), 'One on each line, such as /rooms or /prices/*. If it’s empty, all pages are read.')}
${field('exclude', 'Not these paths', area('exclude'), 'One on each line, such as /blog/*.')}
${field('refresh_hours', 'Hours between two looks', html`<input type="number" value="${shortened(refresh_hours, 3)}" min="1" max="720" required ${about('refresh_hours', false)}>`)}`
  const isOpen = faults.include || faults.exclude || faults.refresh_hours
  return html`<form class="panel sheet" method="post" data-draft>
${
  isNew
    ? html`${field('url', 'Address', html`<input inputmode="url" autocapitalize="none" value="${shortened(url, maxUrl)}" maxlength="${maxUrl}" required ${about('url')}>`, 'Copy it from your browser, such as https://paws-inn.example.')}
<fieldset class="field"><legend>What is read</legend>${kinds.map((each) => html`<label><input type="radio" name="kind" value="${each}"${each === kind && html` checked`}><span>${words.sources.kinds[each]}</span></label>`)}${faultOf('kind', faults.kind)}</fieldset>
<details class="field"${isOpen && html` open`}><summary>Which pages, and how often</summary>${further}</details>`
    : further
}
<div class="actions"><button>${isNew ? 'Add website' : 'Save'}</button> <a class="button plain" href="${back}">${words.cancel}</a></div></form>`
}
