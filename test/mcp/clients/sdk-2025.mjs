import { openSdk } from './sdk.mjs'

/** The protocol's own client, as it begins unless told otherwise: with the protocols of 2025. */
export const open = (url, headers) => openSdk(url, headers, 'legacy')
