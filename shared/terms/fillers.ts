import { stopWords } from './stop-words.ts'
import { fold, stem } from './word-forms.ts'

/** Function words that change what is asked. */
const telling = new Set('not no off than used without nicht ohne pas sans'.split(' '))

/** Words of any question, besides function words: who speaks, and how they ask. */
const said = `
  able actual again already always answer around because believe bring brought call care come came correct decide depend describe each easy ever
  exactly explain feel figure fine find forgot gave give given glad good great guess happen hear heard help hope idea important interest learn let line look
  love made make matter mention mind mister miss moment much name need normal obviously often ought per perhaps pick place point possible
  pretty probably problem provide put quite read recommend regard remember right run roughly saw see seem send sense soon somebody sort speak specific spoke stand suppose
  sure take talk think thought told tried true try understand up usual use well went whether wonder work worry wrong yet
  available fancy set
  within many long call ring dial reach use viele anrufen erreichen
  ab innerhalb brauchte hab quasi dafur plait angeblich bekomme bekommen brauche brauchen denke denken einmal einfach finden gebe geben gehe gehen geht genau hoffe holen idee ihnen kaufen kenne kennen komme kommen
  kommt kriege kriegen lassen lauft leider liegen mal naturlich nehme nehmen nett normalerweise passiert pro recht reden schau schauen schicken schreiben sehen sicher
  sprechen stehen steht stimmt suche suchen verstehe verstehen versuchen vielleicht wirklich moglich
  hiya ye yous side stay habt seid ihr
  acheter aller arriver avoir besoin bien chercher connaitre croire dire donner faire faut penser prendre savoir trouver venir voir voudrais etes encore
  estan estais esta todavia puedo podemos siete si puo e ancora posso possiamo venire zijn jullie kan ik nog dal dalle dall nel del della desde van vanaf durante dopo
  remain bleiben bleibt restons restent restiamo rimane permanece permanecemos blijven blijft`

const fillers = new Set(said.split(/\s+/).map(fold))
const fillerStems = new Set([...fillers, ...stopWords].map(stem))

/** True for a word that an answer need not account for. Words are compared, since “matted” has the stem of “matter”. @param word folded */
export function isFiller(word: string): boolean {
  if (telling.has(word)) return false
  const base = word.replace(/(?:s|ed|ing)$/, '')
  return stopWords.has(word) || fillers.has(word) || fillers.has(base) || fillers.has(`${base}e`)
}

/** True for the stem of a filler. */
export const isFillerStem = (stem: string) => fillerStems.has(stem) && !telling.has(stem)
