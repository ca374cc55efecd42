import { html } from 'hono/html'
import * as v from 'valibot'
import { config } from '../../../shared/config.ts'
import { isAllowedUrl } from '../../../shared/outbound/addresses.ts'
import type { Website } from '../../../shared/websites/websites.ts'
import { fieldsOf, type Sent, sheetForm } from '../form-view.ts'
import { line, lines } from '../forms.ts'
import type { Html } from '../layout.ts'

export const noUrl = 'Enter the address of a public website. It begins with https://.'
export const noPath = 'Begin each line with /, such as /blog/*. Enter at most 50 lines of 500 characters.'
export const noHours = 'Enter a number from 1 to 720.'
export const kinds = {
  site: 'A website: this page and the linked pages below its address, at most 500',
  page: 'This page only',
  sitemap: 'A sitemap: the pages that it lists',
}
const maxUrl = 1000
const [maxLines, maxPath] = [50, 500]

const paths = v.pipe(
  lines,
  v.maxLength(maxLines, noPath),
  v.everyItem((path) => path.startsWith('/') && [...path].length <= maxPath, noPath),
)
const settings = {
  include: paths,
  exclude: paths,
  refresh_hours: v.pipe(
    v.string(noHours),
    v.regex(/^\d{1,3}$/, noHours),
    v.transform(Number),
    v.minValue(1, noHours),
    v.maxValue(720, noHours),
  ),
}
export const changedForm = v.object(settings)
export const newForm = v.object({
  url: v.pipe(
    line(maxUrl, { missing: noUrl, tooLong: 'An address can have at most 1,000 characters.' }),
    v.transform((text) => (/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`)),
    v.check((url) => isAllowedUrl(url, { isLoopbackAllowed: config().ALLOW_LOOPBACK }), noUrl),
    v.transform((url) => new URL(url).href),
  ),
  kind: v.picklist(['site', 'page', 'sitemap'], 'Choose what is read.'),
  ...settings,
})

/** Reads a site as a sitemap if its address names an XML file. */
export function toInput({ kind, ...given }: v.InferOutput<typeof newForm>) {
  const isSitemap = kind === 'site' && /\.xml(\.gz)?$/i.test(new URL(given.url).pathname)
  return { ...given, kind: isSitemap ? ('sitemap' as const) : kind }
}

export function toTyped({ include, exclude, refresh_hours }: Website) {
  return { include: include.join('\n'), exclude: exclude.join('\n'), refresh_hours: `${refresh_hours}` }
}

/** @param isNew asks for the address too */
export function formView(back: string, isNew: boolean, { typed, faults = {} }: Sent): Html {
  const { line, area, boxes } = fieldsOf({ typed: { kind: 'site', refresh_hours: '24', ...typed }, faults })
  const maxPaths = maxLines * (maxPath + 2)
  const ofInclude = 'One on each line, such as /rooms or /prices/*. Leave it empty to read all pages.'
  const further = [
    area('include', 'Only these paths', maxPaths, ofInclude),
    area('exclude', 'Not these paths', maxPaths, 'One on each line, such as /blog/*.'),
    line('refresh_hours', 'Hours between two looks', 3, '', html`type="number" min="1" max="720" required`),
  ]
  if (!isNew) return sheetForm(further, 'Save', back)
  const isOpen = faults.include || faults.exclude || faults.refresh_hours
  const address = html`inputmode="url" autocapitalize="none" required`
  const fields = [
    line('url', 'Address', maxUrl, 'Copy it from your browser, such as https://paws-inn.example.', address),
    boxes('radio', 'kind', 'What is read', Object.entries(kinds)),
    html`<details class="field"${isOpen && html` open`}><summary>Which pages, and how often</summary>${further}</details>`,
  ]
  return sheetForm(fields, 'Add website', back)
}
