import { openSdk } from './sdk.mjs'

/** The protocol's own client, of the protocol of 2026-07-28. */
export const open = (url, headers) => openSdk(url, headers, { pin: '2026-07-28' })
