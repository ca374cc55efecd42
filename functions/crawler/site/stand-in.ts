import type { WebPage } from './web-page.ts'

const maxCharacters = 1_500
const maxAppCharacters = 200
const maxLoginCharacters = 400
/** Notices are short; a page of a business explains itself. */
const maxParagraphs = 1

const price = /[€$£]\s?\d|\d\s?(?:[€$£]|euros?\b|dollars?\b|pounds?\b|CHF\b|EUR\b|zł)/i
const hours =
  /\d\s?(?:[:.h]\s?\d\d|am|pm|uhr|h)?\s?(?:-|–|—|to|bis|à|until)\s?\d{1,2}\s?(?:[:.h]\s?\d\d|am\b|pm\b|uhr|h\b)/i
const paragraph = /^.{80,}$/gm
/** A sentence about what may happen ("if a product is not available") is no notice that it has happened. */
const conditional = /\b(if|when|whenever|should|unless|wenn|falls|sollte|si|quand|als|se|quando)\b/i

/** Notices that a site sends in place of a page, although with the status 200. Only certain ones are, where a page states prices or hours, or explains something. */
const standIns: { words: RegExp; reason: string; isCertain?: boolean }[] = [
  {
    words:
      /^(error )?404\b|\b404 (not found|error|page|seite)|(page|site|seite|product|article)( \S+)? (not|cannot be|can.t be|could not be|no longer) (found|exists?|available)|not found$|nicht gefunden|introuvable|no encontrad[ao]|non trovat[ao]|niet gevonden/im,
    reason: 'It says that the page was not found.',
    isCertain: true,
  },
  {
    words:
      /^(oops\W{1,9})?(something went wrong|an (unexpected )?error (has )?occurred|internal server error|bad gateway|service unavailable|fatal error|database error|error establishing a database)/im,
    reason: 'It shows an error in place of the page.',
    isCertain: true,
  },
  {
    words:
      /domain( name)? (\S+ )?(is |may be )?(parked|for sale|expired)|buy this domain|domain steht zum verkauf|account (has been )?suspended|default web ?(site )?page|welcome to nginx/i,
    reason: 'It shows a notice of the web host in place of the page.',
    isCertain: true,
  },
  {
    words:
      /(down|closed|offline|undergoing|performing|scheduled) (for )?(\w+ )?maintenance|maintenance mode|(web ?site|page|this site|our site) (is )?(currently )?under (maintenance|construction)(?! until)|^coming soon$|wartungs(arbeiten|modus)|be (right )?back (soon|shortly)/im,
    reason: 'It shows a notice of maintenance in place of the page.',
  },
  {
    // A business may sell maintenance, so a title by itself is no notice.
    words:
      /^(maintenance|wartung|en maintenance|mantenimiento|manutenzione|onderhoud)$[\s\S]{0,300}\b(website|web site|site|page|webseite|seite|sitio|sito|back|soon|shortly|later|offline|unavailable|nicht erreichbar|später|bientôt)\b/im,
    reason: 'It shows a notice of maintenance in place of the page.',
  },
  {
    words:
      /^just a moment|checking your browser|verify(ing)? (that )?you are (a )?human|are you a (robot|human)|^access denied|^attention required|unusual traffic|security check[\s\S]{0,300}\b(browser|human|robot|captcha|cookies|javascript|connection|ray id)\b/im,
    reason: 'It shows a check against programs in place of the page.',
  },
  {
    words:
      /^(we use cookies|this (web)?site uses cookies|(accept )?cookie (consent|settings|preferences)|diese (web)?s(eite|ite) (verwendet|nutzt) cookies|before you continue|verify your age|are you (over )?1[68]\b[\s\S]{0,300}\b(yes|no|enter|leave|exit|ja|nein|oui|non|sí)\b)/im,
    reason: 'It shows a notice about cookies or age in place of the page.',
  },
]

/** Why a page's text is not the page itself, as a sentence. */
export function standInReason({ title = '', text, hasPassword, isApp }: WebPage): string | undefined {
  if (!/[\p{L}\p{N}]{2}/u.test(text) || (isApp && text.length < maxAppCharacters))
    return 'It has nearly no text; scripts may put it there, which Cuecard does not run.'
  if (hasPassword && text.length < maxLoginCharacters) return 'It asks visitors to log in.'
  if (text.length > maxCharacters) return undefined
  const heads = [title, ...text.split(/\n+/, 3)].join('\n').slice(0, 600).split('\n')
  const lines = heads.map((line) => line.replace(/^\W+|(?<!\W)\W+$/g, '')).filter((line) => !conditional.test(line))
  const said = lines.join('\n')
  const isPage = price.test(text) || hours.test(text) || (text.match(paragraph)?.length ?? 0) > maxParagraphs
  return standIns.find(({ words, isCertain }) => (isCertain || !isPage) && words.test(said))?.reason
}
