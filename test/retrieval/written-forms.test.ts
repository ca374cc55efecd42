import { describe, expect, test } from 'vitest'
import { useStand } from '../support/stand/stand.ts'
import { tenantWith } from './knowledge.ts'

const stand = useStand()

/** Ordinary passages beside the one that answers. */
const others = [
  'Our garden has old apple trees and a pond with fish.',
  'Wir haben einen großen Garten mit alten Bäumen.',
  'Le jardin est ouvert aux familles.',
].map((content, i) => ({ title: `Garden ${i + 1}`, content }))

async function firstHit(content: string, query: string) {
  const { tenant, ids } = await tenantWith(stand, ...others, { title: 'Notes', content })
  const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })
  return { isFound: body.data[0]?.document_id === ids.at(-1), status: body.status }
}

describe('a text says it as it is written, and a question as it is spoken', () => {
  test.each([
    ['The shuttle leaves at 8:15.', 'quarter past eight'],
    ['The shuttle leaves at 8:15am.', 'the one at eight fifteen'],
    ['Das Taxi kommt um 8:15 Uhr.', 'das um viertel nach acht'],
    ['Das Taxi kommt ab 08:15 Uhr.', 'das um acht uhr fünfzehn'],
    ['Call on 0800 555 1414.', 'oh eight hundred five five five one four one four'],
    ['A slice is 3.40 euros.', 'three forty'],
    ['Un café es 3,40 euros.', 'tres cuarenta'],
    ['El autobús sale a las 8:15.', 'ocho y cuarto'],
    ['Il treno parte alle 9:30.', 'nove e mezza'],
    ['De bus gaat om 8:30.', 'half negen'],
    ['Kamer 224 heeft een bad.', 'tweehonderdvierentwintig'],
    ['Order ٤٤٧١٢ is ready.', '44712'],
    ['Order 44712 is ready.', '۴۴۷۱۲'],
    ['ऑर्डर ४४७ तैयार है', '447'],
    ['Dr Novak works on Mondays.', 'my doctor is N O V A K'],
    ['Letters for Mr Hanlon go to the desk.', 'my name is h. a. n. l. o. n.'],
    ['주차장은 건물 뒤에 있습니다.', '주차장이 어디에 있나요'],
    ['預約電話在網站上。', '预约电话'],
    ['停车场在楼后面。', '停車場'],
  ])('%s %s', async (content, query) => {
    const { isFound, status } = await firstHit(content, query)
    expect(isFound).toBe(true)
    expect(status).not.toBe('nothing')
  })
})

test.each([
  ['A code is A 4471.', 'a 4471'],
  ['A code is K-4471.', 'k 4471'],
  ['We follow ISO 9001:2015.', 'iso 9001 2015'],
  ['Take line B12.', 'b 12'],
])('codes are found as before: %s', async (content, query) => {
  expect((await firstHit(content, query)).isFound).toBe(true)
})

test('a spelled name finds its person among passages that have the other words of the question', async () => {
  const people = ['Novak', 'Ibarra', 'Visser', 'Hanlon', 'Okafor', 'Lindqvist'].map((name, i) => ({
    title: `Team ${i + 1}`,
    content: `${name} works on ${['Mondays', 'Tuesdays', 'Fridays'][i % 3]} in room ${i + 1}.`,
  }))
  const doctors = Array.from({ length: 6 }, (_, i) => ({
    title: `Doctors ${i + 1}`,
    content: `Your doctor calls you back, and my colleague ${i + 1} takes your name and looks for your doctor.`,
  }))
  const { tenant } = await tenantWith(stand, ...people, ...doctors)
  for (const [query, name] of [
    ['my doctor is N O V A K', 'Novak'],
    ['busco a I B A R R A', 'Ibarra'],
    ['my name is V I S S E R', 'Visser'],
  ] as const) {
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })
    expect(body.data[0].content, query).toContain(name)
  }
})
