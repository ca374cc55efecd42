import { pathToFileURL } from 'node:url'
import type { Call, Reply } from './lambda-instance.ts'

// The process of one Lambda instance: imports the module named in its argument and answers events.
const send = (reply: Reply) => process.send?.(reply)
const { handler } = await import(pathToFileURL(process.argv[2]!).href)

process.on('message', async ({ id, event, deadline }: Call) => {
  const getRemainingTimeInMillis = () => Math.max(0, deadline - Date.now())
  try {
    send({ id, result: await handler(event, { awsRequestId: `${id}`, getRemainingTimeInMillis }) })
  } catch (error) {
    send({ id, error: String(error) })
  }
})
send({ id: 0 })
