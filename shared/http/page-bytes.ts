/**
 * Bytes of text in the database's answer after which a page ends early, though it holds one item at least: an answer must fit
 * into Lambda's 6 MB, and what leads to it into what Neon answers (64 MB) and the Lambda's memory. Escaped as JSON, control
 * characters take six times their room on the way.
 */
export const pageBytes = 4 * 1024 * 1024
