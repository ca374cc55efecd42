import { stopWords } from '../../terms/stop-words.ts'
import { fold, stem } from '../../terms/word-forms.ts'

/** Function words that change what is asked. */
const telling = new Set('not no off than without nicht ohne pas sans'.split(' '))

/** Words of any question, besides function words: who speaks, and how they ask. */
const said = `
  able actual again already always answer around because believe bring brought buy call care come came correct couple decide depend describe each easy ever
  exactly explain feel figure fine find forgot friend gave give given glad good great guess happen happy hear heard help hope idea important interest learn let line look
  love made make matter mention mind mister miss mom mum dad husband wife moment much name need normal obviously often ought per perhaps pick place point possible
  pretty probably problem provide put quite read recommend regard remember right run roughly saw see seem send sense somebody sort speak specific spoke stand suppose
  sure take talk think thought told tried true try understand up usual use used well went whether wonder work worry wrong yet
  available fancy set
  within many long call ring dial reach use viele anrufen erreichen
  ab innerhalb brauchte angeblich bekomme bekommen brauche brauchen denke denken einmal einfach finden gebe geben gehe gehen geht genau hoffe holen idee ihnen kaufen kenne kennen komme kommen
  kommt kriege kriegen lassen lauft leider liegen mal naturlich nehme nehmen nett normalerweise passiert pro recht reden schau schauen schicken schreiben sehen sicher
  sprechen stehen steht stimmt suche suchen verstehe verstehen versuchen vielleicht wirklich moglich
  acheter aller arriver avoir besoin bien chercher connaitre croire dire donner faire faut penser prendre savoir trouver venir voir voudrais`

const fillers = new Set(said.split(/\s+/).map((word) => stem(fold(word))))

/** True for a word that an answer need not account for. @param word folded */
export function isFiller(word: string): boolean {
  return !telling.has(word) && (stopWords.has(word) || fillers.has(stem(word)))
}
