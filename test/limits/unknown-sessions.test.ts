import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { dashboardApp } from '../../functions/dashboard/app.ts'
import { lexicalEmbedder } from '../../shared/embedding/lexical-embedder.ts'
import { lambdaHandler } from '../../shared/http/api.ts'
import { newBrowser, signIn } from '../dashboard/support.ts'
import { useRequestCount } from '../support/database/request-count.ts'
import { useStand } from '../support/stand/stand.ts'
import { unusedPresigner } from '../support/stand/unused-presigner.ts'
import { databaseAs, keptQueue } from '../support/stand/worker.ts'

const stand = useStand()
const requestsDuring = useRequestCount()
const newToken = () => randomBytes(32).toString('base64url')
const settings = '/dashboard/settings'

/** A dashboard's Lambda with a clock that stands still until it is moved, and browsers that use it. */
function newInstance() {
  let milliseconds = Date.now()
  const db = databaseAs('cuecard_dashboard')
  const { queue } = keptQueue()
  const now = () => milliseconds
  const handler = lambdaHandler(
    dashboardApp({ db, queue, presigner: unusedPresigner, embedder: lexicalEmbedder(), keySignIn: true, now }),
  )
  return {
    browser: (sourceIp?: string) => newBrowser(stand, sourceIp, handler),
    wait: (seconds: number) => {
      milliseconds += 1000 * seconds
    },
  }
}

test('a malformed session cookie is rejected without a look-up', async () => {
  const mine = newInstance().browser()
  const requests = await requestsDuring(async () => {
    for (const token of ['made-up', '', newToken().slice(1), `${newToken()}A`, `${newToken().slice(1)}!`]) {
      mine.jar.set('cuecard_session', token)
      expect(await mine.get(settings)).toMatchObject({ status: 303 })
    }
  })
  expect(requests).toBe(0)
})

test('an unknown token is looked up once in ten seconds', async () => {
  const { browser, wait } = newInstance()
  const mine = browser()
  mine.jar.set('cuecard_session', newToken())
  const ask = () =>
    requestsDuring(async () => {
      for (let i = 0; i < 30; i++) expect((await mine.get(settings)).status).toBe(303)
    })
  expect(await ask()).toBe(1)
  wait(11)
  expect(await ask()).toBe(1)
})

test('a flood of tokens from an address is refused, but not people who are signed in or other addresses', async () => {
  const { browser } = newInstance()
  const { apiKey } = await stand.tenant()
  const mine = await signIn(browser(), apiKey)
  expect((await mine.get(settings)).status).toBe(200)
  const flood = browser()
  const requests = await requestsDuring(async () => {
    for (let i = 0; i < 50; i++) {
      flood.jar.set('cuecard_session', newToken())
      await flood.get(settings)
    }
  })
  expect(requests).toBe(20)
  flood.jar.set('cuecard_session', newToken())
  const { status, headers, text } = await flood.get(settings)
  expect({ status, after: headers['retry-after'] }).toEqual({ status: 429, after: '1' })
  expect(text).toContain('Too many attempts from your network')
  expect((await mine.get(settings)).status).toBe(200)
  const other = await signIn(browser('203.0.113.2'), (await stand.tenant()).apiKey)
  expect((await other.get(settings)).status).toBe(200)
})
