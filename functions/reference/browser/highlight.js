const name = /\$[A-Z][A-Z_]*/
const grammars = {
  json: /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\b\d[\d.e+-]*)|(?<word>\b(?:true|false|null)\b)/g,
  curl: /(?<string>"(?:[^"\\]|\\.)*"|'[^']*')|(?<comment>(?<=^|\s)#.*)|(?<word>(?<=^|\s)(?:curl|--?[A-Za-z][\w-]*))/gm,
  typescript:
    /(?<string>(?<quote>["'`])(?:(?!\k<quote>)[^\\]|\\.)*\k<quote>)|(?<comment>\/\/.*)|(?<number>\b\d[\d.]*)|(?<word>\b(?:const|await|if|throw|new|true|false|null|import|from|export|async|function|return)\b)/g,
  python:
    /(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<comment>#.*)|(?<number>\b\d[\d.]*)|(?<word>\b(?:import|from|True|False|None|def|return|for|in|if|as|with)\b)/g,
}

/** @type {Record<string, RegExp | undefined>} */
const byLanguage = {
  ...grammars,
  sh: grammars.curl,
  ts: grammars.typescript,
  js: grammars.typescript,
  py: grammars.python,
}

/**
 * Splits code into parts of a kind (`string`, `word`, …) that decides the colour. Names such as `$API_KEY` have the kind `value`.
 *
 * @param {string} code
 * @param {string} language
 * @returns {{ kind: string, text: string }[]}
 */
export function partsOf(code, language) {
  /** @type {{ kind: string, text: string }[]} */
  const parts = []
  const add = (/** @type {string} */ kind, /** @type {string} */ text) => {
    for (const piece of text.split(new RegExp(`(${name.source})`)))
      if (piece) parts.push({ kind: name.test(piece) && piece.startsWith('$') ? 'value' : kind, text: piece })
  }
  let end = 0
  for (const match of code.matchAll(byLanguage[language] ?? /(?!)/g)) {
    add('', code.slice(end, match.index))
    add(
      Object.entries(match.groups ?? {}).find(([kind, text]) => kind !== 'quote' && text !== undefined)?.[0] ?? '',
      match[0],
    )
    end = match.index + match[0].length
  }
  add('', code.slice(end))
  return parts
}
