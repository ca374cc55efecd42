// Runs beside the installed package: asks an agent the questions of stdin, and prints the answers.
import { text } from 'node:stream/consumers'
import { openAgent } from 'cuecard'

const { options, questions } = JSON.parse(await text(process.stdin))
const agent = await openAgent(options)
const answers = []
for (const body of questions) {
  await agent.prefetch({ query: body.query })
  answers.push(await agent.search(body))
}
await agent.close()
console.log(JSON.stringify(answers))
