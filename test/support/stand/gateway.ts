import { afterAll, beforeAll } from 'vitest'
import { startGateway } from '../../../infra/local/gateway/gateway.ts'
import type { TestStand } from './stand.ts'

/** The local gateway in front of the stand, for the tests of one block. */
export function useGateway(stand: TestStand) {
  let gateway: Awaited<ReturnType<typeof startGateway>>
  beforeAll(async () => {
    gateway = await startGateway({ port: 0, routes: stand.functions.routes })
    process.env.ORIGIN = gateway.origin
  })
  afterAll(async () => {
    stand.restoreEnvironment()
    await gateway?.close()
  })

  return {
    get origin() {
      return gateway.origin
    },
  }
}
