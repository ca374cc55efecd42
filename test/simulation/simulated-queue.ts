import { Unavailable } from '../../shared/unavailable.ts'
import type { Message } from '../../shared/work/message.ts'
import type { Queue } from '../../shared/work/outbox.ts'
import { reach } from './process.ts'

export interface SimulatedMessage {
  id: string
  work: Message
  visibleAt: number
  receives: number
}

const visibilityTimeout = 720
const maxReceives = 5

/** The relevant parts of SQS: delays, visibility, receive counts and dead letters, on the simulation's clock in seconds. */
export class SimulatedQueue implements Queue {
  now = 0
  messages: SimulatedMessage[] = []
  deadLetters: SimulatedMessage[] = []
  sends = 0
  #count = 0

  send(work: Message, delaySeconds = 0): Promise<void> {
    this.sends++
    return reach('send', () => Promise.resolve(this.put(work, delaySeconds)), lost)
  }

  changeVisibility(receiptHandle: string, afterSeconds: number): Promise<void> {
    const change = () => {
      const message = this.messages.find(({ id }) => id === receiptHandle)
      if (message) message.visibleAt = this.now + Math.ceil(afterSeconds)
      return Promise.resolve()
    }
    return reach('send', change, lost)
  }

  put(work: Message, delaySeconds = 0): void {
    const visibleAt = this.now + Math.ceil(delaySeconds)
    this.messages.push({ id: `m${this.#count++}`, work, visibleAt, receives: 0 })
  }

  get visible(): SimulatedMessage[] {
    return this.messages.filter((message) => message.visibleAt <= this.now)
  }

  /** The message, received once more; undefined when it goes to the dead letters instead. */
  receive(message: SimulatedMessage): SimulatedMessage | undefined {
    if (message.receives >= maxReceives) {
      this.remove(message)
      this.deadLetters.push(message)
      return undefined
    }
    message.receives++
    message.visibleAt = this.now + visibilityTimeout
    return message
  }

  remove(message: SimulatedMessage): void {
    this.messages = this.messages.filter((other) => other !== message)
  }

  redrive(): void {
    for (const { work } of this.deadLetters.splice(0)) this.put(work)
  }
}

const lost = () => new Unavailable('queue', new Error('connection lost'))
