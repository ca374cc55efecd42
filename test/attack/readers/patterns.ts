const units = [
  ...[' ', '\t', '\n', '\r', '\u00a0', ' \n', '\n\n\n', ', ', '. ', '.', '-', '- ', '* ', '# ', '#', '> ', '|'],
  ...['| a ', '|-', '`', '"', "'", "a'", '“', ','],
  ...['"",', '"a\n",', ';', ':', 'a:', '/', '\\', '\\|', '(', '[', '[]', '[](', '{', '{"a":', '([{', '=', '=a;', '_'],
  ...['~', '@', 'a@', '%', '%7e', '$', '€1 '],
  ...['0', '1 ', '0.', '1,0', '1:', '1-', '24.12.', 'a ', 'a\n', 'a1', 'A', 'ab', 'e\u0301', '\u0301', '👩‍👩‍👧', '🇩🇪'],
  ...['花园', 'の', 'ก', 'ﷺ', '\ufeff', '\0'],
  ...['<', '</', '<a', '<a>', '<a ', '<p>', '<p>a', '<b>', '</b>', '<br>', '<td>', '<!--', '-->', '<![CDATA[', ']]>'],
  ...['<?', '&', '&amp;', '&#', '<a b=', "<a b='"],
  ...['User-agent: a\n', 'User-agent: *\nDisallow: /*a\n', 'Disallow: *a', '<loc>', '<url><loc>http://a/', 'http://'],
  ...['http://a/b ', '\r\n ', '=?utf-8?q?', '=20', '=\r\n'],
  ...['double ', 'a as in ', 'at a dot ', 'hundred ', 'twenty one ', 'eins und ', 'half past ', 'point one '],
  ...['page 1 ', 'valid until 1 May ', 'Monday 1 May 2026 '],
  ...['\n   \t', '# a\n', 'a\n=\n', '```\n', 'a:\n\n', 'a:\n- b\n\n', '- a\n  - a\n    - a\n'],
]

const letters = (length: number) => {
  let [text, state] = ['', 1]
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    text += state.toString(36)
  }
  return text.slice(0, length)
}
const repeated = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
/** Two runs, for readers that reverse their order or compare all pairs. */
const halves = (first: string, second: string) => (length: number) =>
  repeated(first)(length / 2) + repeated(second)(length / 2)

/** Makers of texts of a given length in UTF-16 code units, by the part that they repeat. */
export const patterns: Record<string, (length: number) => string> = {
  ...Object.fromEntries(units.map((unit) => [JSON.stringify(unit), repeated(unit)])),
  'blanks before a letter': (length) => `${' '.repeat(length - 1)}a`,
  'opening, then closing': halves('[', ']'),
  'tags within tags': halves('<b>', '</b>'),
  'marks by turns': repeated('\u0301\u0316'),
  'marks out of order': halves('\u0301', '\u0316'),
  'one random word': letters,
  'random words': (length) => letters(length).replaceAll(/\d/g, ' '),
  'random lines': (length) => letters(length).replaceAll(/\d/g, '\n'),
  'random lines of random words': (length) => letters(length).replaceAll(/[0-8]/g, ' ').replaceAll('9', '\n'),
  'other ideographs': (length) =>
    Array.from({ length }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7_919) % 20_000))).join(''),
  'a table with a long row': (length) =>
    `${'a,b\n'.repeat(300)}${','.repeat(length / 2)}\n${'a,b\n'.repeat(length / 8)}`,
  'a long cell': (length) => `${'a,b\n'.repeat(300)}c,"${'a\n'.repeat(length / 2)}"\n`,
}
