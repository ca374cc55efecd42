import { openSdk } from './sdk.mjs'

/** The protocol's own client, with its default protocols of 2025. */
export const open = (url, headers) => openSdk(url, headers, 'legacy')
