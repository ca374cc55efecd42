/** Of UTF-8: what a document's text may have, be it set or extracted from a file. */
export const maxContentBytes = 4 * 1024 * 1024
