import { beforeAll, describe, expect, test } from 'vitest'
import { type Tenant, useStand } from '../support/stand/stand.ts'
import { tenantWith } from './knowledge.ts'

const stand = useStand()

interface Hit {
  document_title: string
  content: string
}

async function ask(tenant: Tenant, query: string): Promise<{ data: Hit[]; status: string }> {
  const { status, body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })
  expect(status).toBe(200)
  return body
}

/** The titles of equal texts but for their numbers, so that only these tell them apart. */
const titled = (texts: Record<string, string>) =>
  Object.entries(texts).map(([title, content]) => ({ title, content: `${content}\n` }))

describe('a time, price or number behind a short word', () => {
  let tenant: Tenant
  beforeAll(async () => {
    const texts = titled({
      North: 'The shuttle to the north leaves at 8:15 from gate 2.',
      South: 'The shuttle to the south leaves at 9:40 from gate 3.',
      East: 'The shuttle to the east leaves at 08:25 from gate 4.',
      West: 'The gate to the west is open 10:20–11:35.',
      Nord: 'Der Bus nach Norden fährt um 7:45 Uhr.',
      Süd: 'Der Bus nach Süden fährt um 6:10 Uhr.',
      Ouest: 'Le car part à 12 h 20 et la navette à 13:05 du lundi au jeudi.',
      Lines: 'Trains of the coast: 14:05 14:25 14:45',
      Line: 'You reach us on 0800 555 1414 by day.',
      Night: 'You reach us on 0800 555 2626 by night.',
      Tea: 'A pot of tea is 3.40 euros.',
      Coffee: 'A pot of coffee is CHF 4.60 or so.',
      Vitamins: 'We sell vitamin B12 in drops.',
      Quality: 'Our works have ISO 9001 and ISO 14001 since 2019.',
      Paper: 'Posters are printed on A 4 or A 3.',
    })
    ;({ tenant } = await tenantWith(stand, ...texts))
  })

  test.each([
    ['is there one at a quarter past eight', 'North'],
    ['what goes at eight fifteen', 'North'],
    ['what leaves at 8 15', 'North'],
    ['is 08:15 right', 'North'],
    ['which one is at twenty to ten', 'South'],
    ['what goes at eight twenty five', 'East'],
    ['what is at 8:25', 'East'],
    ['is it open at eleven thirty five', 'West'],
    ['what happens at ten twenty', 'West'],
    ['wohin geht es um viertel vor acht', 'Nord'],
    ['was fährt um sieben uhr fünfundvierzig', 'Nord'],
    ['was geht um zehn nach sechs', 'Süd'],
    ['qu’est-ce qui part à treize heures cinq', 'Ouest'],
    ['what comes at fourteen twenty five', 'Lines'],
    ['who has oh eight double oh triple five one four one four', 'Line'],
    ['whose number is 0800 5551414', 'Line'],
    ['whose number is 08005552626', 'Night'],
    ['what is it for three forty', 'Tea'],
    ['what costs four franken sixty', 'Coffee'],
    ['was kostet vier franken sechzig', 'Coffee'],
    ['do you have b twelve', 'Vitamins'],
    ['do you have B 12', 'Vitamins'],
    ['are you iso nine thousand one', 'Quality'],
    ['are you ISO9001', 'Quality'],
    ['what has a four', 'Paper'],
    ['anything in A4', 'Paper'],
  ])('is found by “%s”', async (query, title) => {
    const { data, status } = await ask(tenant, query)
    expect(data[0]?.document_title).toBe(title)
    expect(status).not.toBe('nothing')
  })
})
