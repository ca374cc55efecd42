import { expect, test } from 'vitest'
import { asksAddress } from '../../shared/retrieval/address.ts'
import { addressIn } from '../../shared/terms/addresses.ts'
import { useStand } from '../support/stand/stand.ts'
import { tenantWith } from './knowledge.ts'

const stand = useStand()

test.each([
  'um where are you guys located',
  "what's your address please",
  'where is your shop',
  'how do i get to you',
  'which street are you on',
  'wo seid ihr denn',
  'wie ist Ihre Adresse',
  'où êtes-vous',
  'dónde están',
  'dove siete',
  'waar zitten jullie',
])('asks where the business is: %s', (question) => {
  expect(asksAddress(question)).toBe(true)
})

test.each([
  'where can i park',
  'where is the pool',
  'what is your email address',
  'can i change my address',
  'what street is the parking on',
  'how do i get a loyalty card',
  'are you open on sunday',
  'wo kann ich parken',
])('asks for something else: %s', (question) => {
  expect(asksAddress(question)).toBe(false)
})

test.each([
  ['Maple & Rye Café, 418 Harbord Street, Toronto.', 2],
  ['Storage & Van Hire, 14–22 Harbour Street.', 2],
  ['Bäckerei Ährenkorn, Lindenstraße 14. Hier backen wir.', 2],
  ['Lützner Straße 81, 04177 Leipzig', 2],
  ['Notre boutique, 12 bis, rue de la Paix', 2],
  ['Calle de la Luna 12, Madrid', 2],
  ['We are on Mill Lane, opposite the fire station.', 1],
  ['Address: The Old Mill, Kendal', 1],
  ['We are on Instagram, and open 9 to 5.', 0],
  ['The street was closed in 2024. Lane 4 is free.', 0],
  ['Am Montag 9 bis 12 Uhr', 0],
])('“%s” says where something is to the degree %i', (text, degree) => {
  expect(addressIn(text)).toBe(degree)
})

test('the passage with the business’s own address answers, not the car park’s; without one, nothing is sure', async () => {
  const { tenant, ids } = await tenantWith(
    stand,
    { title: 'Parking', content: 'Use the garage at 2 Leroy Street, which costs $3 an hour.' },
    { title: 'Privacy', content: '| What | How long we keep it |\n|---|---|\n| Location of a bike | 30 days |' },
    { title: 'Opening hours', content: 'Trattoria Lucia, 91 Carmine Street. We open at noon, and close at ten.' },
  )
  const ask = async (query: string) => (await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })).body
  for (const query of ['where are you located', 'what is your address']) {
    const { status, value, data } = await ask(query)
    expect({ status, value, first: data[0].document_title }).toEqual({
      status: 'found',
      value: null,
      first: 'Opening hours',
    })
  }
  await tenant.call('DELETE', `${tenant.knowledgeBase}/${ids.at(-1)}`)
  expect(await ask('where are you located')).toMatchObject({ status: expect.not.stringMatching('found'), value: null })
})
