import { configuredDatabase } from '../../shared/database.ts'
import { configuredQueue } from '../../shared/queue.ts'
import { sweep } from './sweep.ts'

const db = configuredDatabase(40)
const queue = configuredQueue()

export const handler = () => sweep(db, queue)
