import { fold, stem } from './word-forms.ts'

/** Words that mean the same in calls and in tables of prices and hours; `a_b` are two words in a row. */
const groups = `
  adult grown_up grown_ups grownup erwachsene großer; man men gent gents gentleman gentlemen male guy herr herren mann männer
  woman women lady ladies female dame damen frau frauen; child children kid kids junior kind kinder
  youth teen teenager young jugendliche jugend; senior seniors pensioner pensioners retired age_pensioner oap rentner pensionär
  student students uni college studierende studenten; concession concessions reduced discounted ermäßigt
  return round_trip both_ways and_back rückfahrt rückfahrkarte zurück retour; single one_way einfach hinfahrt einzelfahrt
  annual year yearly jahr jährlich; month monthly monat monatlich; week weekly woche wöchentlich; day daily tag tages
  full whole entire all_day ganz ganzen ganzer gesamt voll; online internet web website
  takeaway take_away to_go take_out mitnehmen; pool swim swimming schwimm; lawyer solicitor attorney anwalt kanzlei
  gym fitness; bus coach; car vehicle auto pkw; van lorry truck transporter lkw; cut haircut haarschnitt schneiden; dress gown; drink soda; wash clean cleaning laundry reinigung
  abroad international overseas foreign ausland; domestic national inland; large big groß; small little klein; medium regular standard normal ordinary mittel
  duration length long takes last dauer lang; departs departure leave leaves go goes abfahrt fährt; arrives arrival get_in gets_in get_there ankunft
  platform track gleis bahnsteig; floor storey level etage stock stockwerk; close closes closing shut shuts schließt schließung
  double twin doppelzimmer zweibettzimmer; dinner supper tea abendessen; instructor teacher teaches trainer coach lehrer kursleiter leitung
  age old alter alt; people persons guests serves seats sleeps personen leute plätze portionen; price cost preis kosten; phone telephone number telefon nummer rufnummer; mobile handy; extension durchwahl; electric ebike electro elektro
  bike bicycle cycle fahrrad rad; fix repair mend reparieren; hire rent rental borrow mieten leihen ausleihen; store storage; vegetarian veggie vegetarisch`

const synonyms = new Map<string, Set<string>>()
for (const group of groups.split(/[;\n]/)) {
  const names = group.trim().split(' ').map(keyOf)
  for (const name of names) synonyms.set(name, new Set([...(synonyms.get(name) ?? []), ...names]))
}

function keyOf(words: string): string {
  return words
    .split('_')
    .map((word) => stem(fold(word)))
    .join('_')
}

/** The stems of the words that mean the same. @param key a stem, or two joined by `_` */
export function synonymsOf(key: string): readonly string[] {
  return [...(synonyms.get(key) ?? [])]
}
