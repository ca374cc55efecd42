const question = 'Are you open on Sunday?'

export const vapiExamples = {
  tool: {
    message: {
      type: 'tool-calls',
      toolCallList: [
        {
          id: 'call_VaJOd8ZeZgWCEHDYomyCPfwN',
          type: 'function',
          function: { name: 'search_knowledge_base', arguments: { query: question } },
        },
      ],
    },
  },
  knowledgeBase: {
    message: { type: 'knowledge-base-request', messages: [{ role: 'user', content: question }] },
  },
}

export const vapiAnswerExample = {
  results: [
    {
      name: 'search_knowledge_base',
      toolCallId: 'call_VaJOd8ZeZgWCEHDYomyCPfwN',
      result: 'From “Opening hours”: On Sunday we are closed.',
    },
  ],
}

export const retellExamples = {
  envelope: {
    name: 'search_knowledge_base',
    call: { call_id: 'Jabr9TXYYJHfvl6Syypi88rdAHYHmcq6' },
    args: { query: question },
  },
  argsAtRoot: { query: question },
}
