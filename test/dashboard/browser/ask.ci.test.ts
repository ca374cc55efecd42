import { describe, expect, test } from 'vitest'
import { storeQuestions } from '../../support/documents/asked-questions.ts'
import { useStand } from '../../support/stand/stand.ts'
import { axeFindings } from '../../support/tools/axe-findings.ts'
import { executablePath } from '../../support/tools/chromium.ts'
import { useSignedIn } from './signed-in.ts'

const stand = useStand()

describe.runIf(executablePath)('in a browser (needs chromium, or CHROMIUM with its path)', () => {
  const { open } = useSignedIn(stand)

  /** A page of a tenant whose agent serves a text, and the address of Ask. */
  async function openAsk() {
    const tenant = await stand.tenant()
    await tenant.call('POST', tenant.knowledgeBase, { title: 'Parking', content: 'Guests park behind the house.' })
    await stand.deliver()
    const opened = await open(tenant, '/dashboard')
    return { ...opened, ask: new URL(`/dashboard/agents/${tenant.agentId}/ask`, opened.page.url()).href }
  }

  test('a question is spoken, and its answer read out, if the browser can do that', async () => {
    const { page, wrong, ask } = await openAsk()
    await page.addInitScript(`
      window.SpeechRecognition = class extends EventTarget {
        start() {
          this.dispatchEvent(new Event('start'))
          this.dispatchEvent(Object.assign(new Event('result'), { results: [[{ transcript: 'where do guests park' }]] }))
        }
      }
      speechSynthesis.speak = ({ text, lang }) => { window.spoken = [text, lang] }`)
    await page.goto(ask)
    await page.getByRole('button', { name: 'Speak the question' }).click()
    await page.getByText('Your agent would say this').waitFor()
    expect(await page.getByLabel('What a caller would say').inputValue()).toBe('where do guests park')
    await page.getByRole('button', { name: 'Hear it' }).click()
    expect(await page.evaluate('window.spoken')).toEqual(['Guests park behind the house.', 'en'])
    expect(await page.getByText('Exact scores').first().isVisible()).toBe(false)
    expect(wrong).toEqual([])
  })

  test('neither is offered if the browser cannot do that', async () => {
    const { page, wrong, ask } = await openAsk()
    await page.addInitScript(
      "for (const name of ['speechSynthesis', 'SpeechRecognition', 'webkitSpeechRecognition']) delete window[name]",
    )
    await page.goto(`${ask}?q=where+do+guests+park`)
    await page.getByText('Your agent would say this').waitFor()
    for (const name of ['Speak the question', 'Hear it'])
      expect(await page.getByRole('button', { name }).isVisible()).toBe(false)
    expect(wrong).toEqual([])
  })

  test.each([390, 1280])('at a width of %i, a menu of further actions opens over its row', async (width) => {
    const tenant = await stand.tenant()
    await storeQuestions(stand, tenant, { question: 'cars', status: 'uncertain' })
    const { page, wrong } = await open(tenant, `/dashboard/agents/${tenant.agentId}/questions`)
    await page.setViewportSize({ width, height: 844 })
    const link = page.getByRole('link', { name: 'Ask again' })
    await page.getByRole('button', { name: 'More' }).focus()
    await page.keyboard.press('Enter')
    await link.waitFor()
    const box = (await link.boundingBox())!
    expect(box.x >= 0 && box.x + box.width <= width).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(await axeFindings(page)).toEqual([])
    await link.click()
    await page.getByText('For example').or(page.getByText('doesn’t know')).waitFor()
    expect(wrong).toEqual([])
  })
})
