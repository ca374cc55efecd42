const repeated = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

/** Texts that are harder to cut than prose of their length. */
export const hostile: Record<string, (length: number) => string> = {
  'one letter': repeated('x'),
  'line breaks': repeated('\n'),
  'line breaks and blanks': repeated('\n   \t'),
  blanks: (length) => `x${' '.repeat(length - 2)}x`,
  hashes: repeated('#'),
  'nested quotations': repeated('> '),
  'nested lists': repeated('- '),
  headings: repeated('# a\n'),
  'underlined headings': repeated('a\n=\n'),
  fences: repeated('```\n'),
  'columns of a table': repeated('|-'),
  'full stops': repeated('. '),
  apostrophes: repeated("'"),
  'combining marks': (length) => `e${'\u0301'.repeat(length - 1)}`,
  'joined emoji': repeated('👨‍👩‍👧'),
  flags: repeated('🇩🇪'),
  'Chinese without punctuation': repeated('花园座位价格'),
  'lines of one letter': repeated('a\n'),
  'colons at the ends of lines': repeated('a:\n\n'),
}
