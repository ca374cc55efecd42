export const agents = {
  isOff: {
    none: 'No documents yet',
    pending: 'Processing its first documents',
    failed: 'None of its documents could be read',
  },
} as const
