import type { WebPage } from './web-page.ts'

const maxCharacters = 1_500
const maxAppCharacters = 200
const maxLoginCharacters = 400

/** Notices that a site sends in place of a page, although with the status 200. */
const standIns: [RegExp, string][] = [
  [
    /^(error )?404\b|\b404 (not found|error|page|seite)|(page|site|seite|product|article)( \S+)? (not|cannot be|can.t be|could not be|no longer) (found|exists?|available)|not found$|nicht gefunden|introuvable|no encontrad[ao]|non trovat[ao]|niet gevonden/im,
    'It says that the page was not found.',
  ],
  [
    /(down|closed|offline|undergoing|performing|scheduled) (for )?(\w+ )?maintenance|maintenance mode|(site|page) (is )?(currently )?under (maintenance|construction)|^(maintenance|coming soon|wartung|en maintenance)$|wartungs(arbeiten|modus)|be (right )?back (soon|shortly)/im,
    'It shows a notice of maintenance in place of the page.',
  ],
  [
    /^(oops\W{1,9})?(something went wrong|an (unexpected )?error (has )?occurred|internal server error|bad gateway|service unavailable|fatal error|database error|error establishing a database)/im,
    'It shows an error in place of the page.',
  ],
  [
    /domain( name)? (\S+ )?(is |may be )?(parked|for sale|expired)|buy this domain|domain steht zum verkauf|account (has been )?suspended|default web ?(site )?page|welcome to nginx/i,
    'It shows a notice of the web host in place of the page.',
  ],
  [
    /^just a moment|checking your browser|verify(ing)? (that )?you are (a )?human|are you a (robot|human)|access denied|attention required|unusual traffic|security check/im,
    'It shows a check against programs in place of the page.',
  ],
  [
    /^(we use cookies|this (web)?site uses cookies|(accept )?cookie (consent|settings|preferences)|diese (web)?s(eite|ite) (verwendet|nutzt) cookies|before you continue|verify your age|are you (over )?1[68])/im,
    'It shows a notice about cookies or age in place of the page.',
  ],
]

/** Why a page's text is not the page itself, as a sentence. */
export function standInReason({ title = '', text, hasPassword, isApp }: WebPage): string | undefined {
  if (!/[\p{L}\p{N}]{2}/u.test(text) || (isApp && text.length < maxAppCharacters))
    return 'It has nearly no text; scripts may put it there, which Cuecard does not run.'
  if (hasPassword && text.length < maxLoginCharacters) return 'It asks visitors to log in.'
  if (text.length > maxCharacters) return undefined
  const heads = [title, ...text.split(/\n+/, 2)].join('\n').slice(0, 400).split('\n')
  const said = heads.map((line) => line.replace(/^\W+|(?<!\W)\W+$/g, '')).join('\n')
  return standIns.find(([words]) => words.test(said))?.[1]
}
