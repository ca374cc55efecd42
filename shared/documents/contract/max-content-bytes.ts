/** The limit of a document's text in UTF-8, set or extracted. */
export const maxContentBytes = 4 * 1024 * 1024
