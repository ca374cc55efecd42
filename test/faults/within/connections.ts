import { Socket } from 'node:net'
import { Random } from '../../simulation/random.ts'

/** Orders of a test to its stand, which it follows within its process. */
export interface Orders {
  /** Connections to these ports are reset after a random number of bytes, both directions together. */
  cut?: { ports: number[]; meanBytes: number; seed: number }
  /** Ports that refuse connections; open ones are reset. */
  away?: number[]
  /** The shift of the wall clock, in milliseconds. */
  clockShift?: number
}

// All connections of this process go through here: the driver's, the queue client's, `pg`'s.
const connect = Socket.prototype.connect
const open = new Map<Socket, number>()
const closedPort = 1

let cut: Orders['cut']
let away: number[] = []
let random = new Random(0)

export function cutConnections(orders: Pick<Orders, 'cut' | 'away'>): void {
  if (orders.cut) {
    cut = orders.cut
    random = new Random(cut.seed)
    for (const [socket, port] of open) limit(socket, port)
  }
  if (!orders.away) return
  away = orders.away
  for (const [socket, port] of open) if (away.includes(port)) reset(socket)
}

Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
  const port = portOf(args)
  if (port === undefined) return Reflect.apply(connect, this, args)
  open.set(this, port)
  this.once('close', () => open.delete(this))
  if (away.includes(port)) return Reflect.apply(connect, this, [{ host: '127.0.0.1', port: closedPort }])
  limit(this, port)
  return Reflect.apply(connect, this, args)
} as typeof connect

/** `connect` takes options, a port, or the list of both that `net` makes for itself. */
function portOf(args: readonly unknown[]): number | undefined {
  const [first] = args.flat() as [unknown]
  const port = typeof first === 'object' && first !== null && 'port' in first ? first.port : first
  return Number(port) > 0 ? Number(port) : undefined
}

/** Passes this many bytes, in both directions together, then resets the connection in mid-transfer. */
function limit(socket: Socket, port: number) {
  if (!cut?.ports.includes(port)) return
  let left = Math.ceil(-Math.log(1 - random.next()) * cut.meanBytes)
  const push = socket.push.bind(socket)
  const ownWrite = socket._write
  const write = (bytes: Buffer, done: () => void) => Reflect.apply(ownWrite, socket, [bytes, 'buffer', done])
  const through = (chunk: Buffer, pass: (part: Buffer) => void) => {
    const part = chunk.subarray(0, left)
    left -= chunk.length
    if (part.length > 0) pass(part)
    if (left <= 0) setImmediate(() => reset(socket))
  }
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null || left <= 0) return chunk === null ? push(chunk) : false
    through(chunk, push)
    return left > 0
  }
  socket._write = (chunk: Buffer | string, encoding, done) => {
    if (left <= 0) return
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
    through(bytes, (part) => write(part, part.length < bytes.length ? () => {} : done))
  }
  // This makes Node write one chunk after the other.
  Object.defineProperty(socket, '_writev', { value: undefined })
}

function reset(socket: Socket) {
  if (socket.destroyed) return
  process.send?.('cut')
  // resetAndDestroy() would wait for pending writes, and report nothing to this end.
  Object.assign(socket, { resetAndClosing: true })
  socket.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
}
