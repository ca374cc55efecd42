import { once } from 'node:events'
import { lstat, rm } from 'node:fs/promises'
import * as http from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { bodyLimit } from '../../../shared/http/input/json-body.ts'
import { CommandError } from '../../command-line/command-error.ts'
import { messageOf } from '../../error-message.ts'
import { readBody } from '../../request-body.ts'
import type { Sent } from './app.ts'

const host = '127.0.0.1'
/** Longer than clients keep idle connections, so that none sends a question on one that is being closed. */
const keepAliveTimeout = 120_000
const maxCloseMilliseconds = 5_000

interface App {
  fetch(request: Request, sent: Sent): Response | Promise<Response>
}

/** Serves an app on a port of loopback, or on a Unix socket for this user only. `close` waits for current requests. @throws CommandError */
export async function listen(app: App, { port, socket }: { port: number; socket?: string | undefined }) {
  const server = http.createServer({ keepAliveTimeout }, async (request, response) => {
    try {
      const sent = await readBody(request, bodyLimit)
      // The next request on this connection follows the rest of the body.
      request.resume()
      const { method = 'GET', url = '/', headers } = request
      const asked = new Request(`http://${host}${url}`, { method, headers: toHeaders(headers) })
      const answer = await app.fetch(asked, { sent })
      const body = Buffer.from(await answer.arrayBuffer())
      // A connection that stays alive would delay the end.
      response.shouldKeepAlive &&= server.listening
      response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': body.length })
      response.end(body)
    } catch {
      // The client has gone, or its request is none, such as one with the method TRACE.
      response.destroy()
    }
  })

  if (socket === undefined) server.listen(port, host)
  else {
    await removeUnused(socket)
    // Other users of the machine can't open the socket, not even in the moment before a change of its mode.
    const mask = process.umask(0o177)
    server.listen(socket)
    process.umask(mask)
  }
  await once(server, 'listening').catch((error) => {
    throw new CommandError(`cannot serve: ${messageOf(error)}`)
  })
  return {
    address: socket === undefined ? `http://${host}:${(server.address() as AddressInfo).port}` : `unix:${socket}`,
    async close(): Promise<void> {
      const timer = setTimeout(() => server.closeAllConnections(), maxCloseMilliseconds)
      server.close()
      await once(server, 'close')
      clearTimeout(timer)
    },
  }
}

function toHeaders(sent: http.IncomingHttpHeaders): [string, string][] {
  return Object.entries(sent).map(([name, value]) => [name, String(value)])
}

/** Removes the socket that a killed process has left. */
async function removeUnused(path: string): Promise<void> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
  } catch (error) {
    const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    // So is a connection to an ordinary file.
    if (isRefused && (await lstat(path)).isSocket()) await rm(path)
  } finally {
    socket.destroy()
  }
}
