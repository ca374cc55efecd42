import { beforeAll, expect, test } from 'vitest'
import { noHours, noPath, noUrl } from '../../functions/dashboard/websites/form.ts'
import { serve } from './document-rows.ts'
import { fill, type Ids, never, rowsOf } from './routes.ts'
import { expectFault, type FormFields, plain, type SignedIn, useDashboard } from './support.ts'

const { stand, signedIn } = useDashboard()

const agent = '/dashboard/agents/:agentId'
const settings = '/dashboard/settings'
const shop = 'https://shop.example/'
const day = '2998-12-24'
const text = { title: 'Christmas', content: 'We are closed.', from: '', until: '' }
const tooLong = (what: string, length: string) => `${what} can have at most ${length} characters.`

const noDay = 'Choose a day.'
const noClosingTime = 'Enter when you open, and a later time at which you close.'
const ofDays: Fault[] = [
  ['from', { from: 'tomorrow' }, noDay],
  ['from', { from: '2027-02-29' }, noDay],
  ['until', { until: '9999-12-31' }, noDay],
  ['until', { until: '275760-09-13' }, noDay],
  ['until', { from: '2027-01-06', until: '2026-12-20' }, 'The last day is before the first.'],
]
const ofName: Fault[] = [
  ['name', { name: ' ' }, 'Enter a name.'],
  ['name', { name: 'a'.repeat(201) }, tooLong('A name', '200')],
]
const noPermission = 'Choose at least one permission.'

type Fault = [field: string, change: FormFields, message: string]
/** Fields that each form accepts, and the faults of changes. */
const forms: Record<string, [fields: FormFields, faults: Fault[]]> = {
  [`${agent}/documents/new`]: [
    text,
    [
      ...ofDays,
      ['title', { title: ' ' }, 'Enter a title.'],
      ['title', { title: 'x'.repeat(501) }, tooLong('A title', '500')],
      ['content', { content: '  ' }, 'Enter the text that callers should get answers from.'],
      [
        'content',
        { content: 'x'.repeat(1024 * 1024 + 1) },
        'A text written here can have at most 1 MB. Split it, or upload it as a file.',
      ],
    ],
  ],
  [`${agent}/documents/:documentId/edit`]: [{ ...text, edits: '1' }, ofDays],
  [`${agent}/documents/closed`]: [
    { from: day, until: '', open: 'closed', opens: '', closes: '', note: 'Merry Christmas' },
    [
      ['from', { from: '' }, noDay],
      ['from', { from: 'tomorrow' }, noDay],
      ['until', { until: '2998-12-23' }, 'The last day is before the first.'],
      ['open', { open: 'maybe' }, 'Choose one.'],
      ['closes', { open: 'hours', closes: '14:00' }, noClosingTime],
      ['closes', { open: 'hours', opens: '10:00' }, noClosingTime],
      ['closes', { open: 'hours', opens: '14:00', closes: '10:00' }, noClosingTime],
      ['closes', { open: 'hours', opens: '10:00', closes: '25:00' }, 'Enter a time, such as 10:00.'],
      ['note', { note: 'a'.repeat(501) }, tooLong('This', '500')],
    ],
  ],
  [`${agent}/sources/new`]: [
    { url: shop, kind: 'page', include: '/new', exclude: '/old', refresh_hours: '48' },
    [
      ...[' ', 'http://shop.example', 'https://127.0.0.2', '192.168.0.1', 'javascript:alert(1)'].map(
        (url): Fault => ['url', { url }, noUrl],
      ),
      ['url', { url: `${shop}${'a'.repeat(1000)}` }, tooLong('An address', '1,000')],
      ['kind', { kind: 'shop' }, 'Choose what is read.'],
      ['include', { include: 'blog' }, noPath],
      ['exclude', { exclude: '/a\n'.repeat(51) }, noPath],
      ['refresh_hours', { refresh_hours: '721' }, noHours],
    ],
  ],
  [`${agent}/edit`]: [
    { name: 'Night desk', time_zone: 'Europe/Berlin', holidays: 'US' },
    [
      ...ofName,
      ['time_zone', { time_zone: '+02:00' }, 'Choose a time zone.'],
      ['holidays', { holidays: 'Atlantis' }, 'Enter a country, such as Germany, or a code, such as CA-ON.'],
    ],
  ],
  '/dashboard/agents/new': [{ name: 'Night desk' }, ofName],
  [`${settings}/keys/new`]: [
    { name: 'Typed "before"', permissions: ['kb:read', 'kb:write'], days: '30' },
    [
      ['name', { name: ' \t ' }, 'Enter a name, so that you’ll know later what the key is for.'],
      ['name', { name: 'x'.repeat(201) }, tooLong('A name', '200')],
      ['permissions', { permissions: [] }, noPermission],
      ['permissions', { permissions: ['everything'] }, noPermission],
      ['days', { days: '36500' }, 'Choose when it expires.'],
    ],
  ],
}

/** What a browser would send of the field with this name: undefined of a choice without a chosen value. */
function shownIn(html: string, name: string): string[] | undefined {
  const named = ` name="${name}"`
  const [, area] = new RegExp(`<textarea [^>]*${named}[^>]*>\n([^<]*)<`).exec(html) ?? []
  const [, choices = ''] = new RegExp(`<select [^>]*${named}[^>]*>(.*?)</select>`, 's').exec(html) ?? []
  const inputs = html.match(new RegExp(`<input [^>]*${named}[^>]*>`, 'g')) ?? []
  const sent = inputs.filter((tag) => !/type="(checkbox|radio)"/.test(tag) || tag.includes(' checked'))
  const chosen = [...sent, ...(choices.match(/<option [^>]* selected/g) ?? [])]
  const values = chosen.map((tag) => / value="([^"]*)"/.exec(tag)![1]!).concat(area ?? [])
  return values.length > 0 ? values.map(plain) : undefined
}

let tenant: SignedIn
let ids: Ids
beforeAll(async () => {
  tenant = await signedIn()
  ids = { ...never(), agentId: tenant.agentId, documentId: await serve(stand, tenant, 'Christmas', text.content) }
})

test.each(
  Object.entries(forms).flatMap(([path, [fields, faults]]) => faults.map((fault) => [path, ...fault, fields] as const)),
)(
  '%s says at the field %s what is wrong with it, keeps what was typed, and changes nothing (%#)',
  async (path, field, change, message, fields) => {
    const url = fill(path, ids)
    const before = await rowsOf(stand.db, tenant.organizationId)
    const page = await tenant.browser.post(url, { ...fields, ...change })
    expectFault(page, field, message)
    expect(page.html.match(/class="fault"/g)).toHaveLength(1)
    const marked = [...page.html.matchAll(/aria-describedby="(\w+)-fault\b[^"]*" aria-invalid="true"/g)]
    // A fault of boxes stands beside all of them.
    const isOfBoxes = ['kind', 'open', 'permissions'].includes(field)
    expect(marked.map(([, name]) => name)).toEqual(isOfBoxes ? [] : [field])
    for (const [name, value] of Object.entries({ ...fields, ...change })) {
      const shown = shownIn(page.html, name)
      if (name !== field) expect(shown, name).toEqual([value].flat())
      // A long text is cut.
      else if (typeof value === 'string' && shown) {
        expect(value).toContain(shown[0])
        expect(shown[0] === '').toBe(value === '')
      }
    }
    expect(await rowsOf(stand.db, tenant.organizationId)).toBe(before)
  },
)
