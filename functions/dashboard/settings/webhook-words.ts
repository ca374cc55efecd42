export const webhooks = {
  urlMissing: 'Enter an address that begins with https:// and can be reached from the internet.',
  eventMissing: 'Choose at least one event.',
  names: {
    'document.completed': 'A document is ready',
    'document.failed': 'A document failed',
    'document.waiting': 'A document isn’t ready after 10 minutes',
    'golden_question.failed': 'A golden question fails',
    'source.failed': 'A website couldn’t be read',
    'questions.unanswered': 'Questions without an answer, once a day',
    'webhook.test': 'Test event',
  } as Record<string, string>,
  states: { enabled: 'On', disabled: 'Off' },
  reasons: {
    requested: 'It was turned off.',
    gone: 'It was turned off because its receiver answered 410 Gone.',
    failing: 'It was turned off because every event failed for five days.',
  },
  rotate: 'New secret',
  status: { pending: 'Waiting', delivered: 'Delivered', failed: 'Failed' },
} as const
