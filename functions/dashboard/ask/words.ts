import { counted } from '../sentences.ts'

export const ask = {
  modes: {
    hybrid: 'By words and meaning, like your agent',
    semantic: 'By meaning only',
    keyword: 'By words only',
  },
  example1: (title: string) => `What can you tell me about ${title}?`,
  example2: (title: string) => `I have a question about ${title}`,
  example3: (title: string) => `Do you have anything on ${title}?`,
  passages: (count: number) => counted(count, 'passage'),
  unanswered: {
    uncertain: 'Your agent may have no answer to this. Is the answer in one of your documents?',
    nothing: 'On Vapi, Retell and MCP, your agent is told that nothing was found.',
  },
  meaning: { close: 'Close in meaning', some: 'Somewhat close in meaning', far: 'Different in meaning' },
} as const
