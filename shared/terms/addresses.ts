/** The term of a text that says where something is, besides the terms of its words. */
export const addressTerm = '#address'

const name = String.raw`\p{Lu}[\p{L}'’.-]{0,30}`
const english =
  'Street|St|Road|Rd|Lane|Ln|Avenue|Ave|Way|Drive|Dr|Square|Sq|Place|Pl|Close|Court|Ct|Terrace|Row|Hill|Quay|Parade|Wharf|Yard|Market|Gardens|Crescent|Boulevard|Blvd|Highway|Walk|Mews|Green|Parkway|Circle|Alley'
const street = `(?:${name} ){1,3}(?:${english})(?!\\p{L})`
const number = String.raw`\d{1,5}(?:[–-]\d{1,5})?[a-z]?`

/** Streets with a number, as they are written in English, German, Dutch, French, Spanish and Italian. */
const numbered = new RegExp(
  [
    `(?<![\\p{L}\\d])${number},? ${street}`,
    `\\p{Lu}[\\p{L}-]{2,30} (?:Straße|Strasse|Str\\.|Weg|Platz|Allee|Gasse|Ring|Ufer) ${number}(?![\\p{L}\\d:]|\\.\\d)`,
    `\\p{Lu}[\\p{L}-]{2,30}(?:straße|strasse|str\\.|weg|platz|gasse|allee|ring|ufer|damm|straat|laan|plein|gracht|kade|singel|dijk) ${number}(?![\\p{L}\\d:]|\\.\\d)`,
    `(?<![\\p{L}\\d])${number}(?: bis| ter)?,? (?:rue|avenue|boulevard|place|quai|chemin|allée|impasse|cours|square) (?:de la |de |du |des |d['’]|l['’])?\\p{Lu}`,
    `(?<!\\p{L})(?:[Cc]alle|C/|[Aa]venida|Avda\\.|[Pp]laza|[Pp]aseo|[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso) (?:${name} |de |del |della |la |los |las ){0,3}${name},? ${number}(?![\\p{L}\\d:])`,
  ].join('|'),
  'u',
)
/** A place without a house number: “We are on Mill Lane, opposite the fire station”. */
const unnumbered = new RegExp(
  `(?<!\\p{L})(?:[Ww]e(?:['’]re| are)|[Ff]ind us|located|situated|based)(?: \\p{L}+){0,2}? (?:at|on|in|off|opposite|behind|beside|near|next to) (?:(?:the )?corner of|${street})`,
  'u',
)
const labelled =
  /(?<!\p{L})(?:[Aa]ddress|[Aa]dresse|[Aa]nschrift|[Dd]irección|[Ii]ndirizzo|[Aa]dres):\** ?\p{Lu}|[Ss]ie finden uns|[Ii]hr findet uns|[Nn]ous sommes (?:au|à la|situés)/u

/** Tells how exactly a text says where something is: 2 by a street with its number, 1 in words, 0 not at all. */
export function addressIn(text: string): 0 | 1 | 2 {
  if (numbered.test(text)) return 2
  return unnumbered.test(text) || labelled.test(text) ? 1 : 0
}
