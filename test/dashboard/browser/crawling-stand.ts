import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Demo, seedDemo } from '../../../infra/local/demo.ts'
import { startStand } from '../../../infra/local/stand.ts'
import { type Sites, sites } from '../../sources/sites/sites.ts'

interface CrawlingStand {
  stand: Awaited<ReturnType<typeof startStand>>
  demo: Demo
  sites: Sites
}

/** The whole system, as `npm start` runs it, and websites on loopback that its crawler may read. Filled in before the tests run. */
export function useCrawlingStand(): CrawlingStand {
  const opened = {} as CrawlingStand
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    process.env.ALLOW_LOOPBACK = 'true'
    const dataDir = await mkdtemp(join(tmpdir(), 'cuecard-crawling-'))
    closers.push(() => rm(dataDir, { recursive: true, force: true }))
    opened.sites = await sites()
    closers.push(opened.sites.stop)
    opened.stand = await startStand({ dataDir, port: 0 })
    closers.push(opened.stand.close)
    opened.demo = await seedDemo(opened.stand.db, dataDir)
  })
  afterAll(async () => {
    for (const close of closers.reverse()) await close()
    delete process.env.ALLOW_LOOPBACK
  })
  return opened
}
