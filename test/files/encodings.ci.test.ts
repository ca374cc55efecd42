import { describe, expect, test } from 'vitest'
import { extractText } from '../../functions/extraction/text/extract-text.ts'
import { newExtractor, newFile } from '../support/documents/files.ts'
import { useStand } from '../support/stand/stand.ts'

const stand = useStand()

/** The text's bytes in an encoding of one byte a letter. */
function encoded(text: string, encoding: string): Buffer {
  const letters = [...new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))]
  return Buffer.from([...text].map((letter) => letters.indexOf(letter)))
}

const texts = [
  [
    'polski',
    'windows-1250',
    'Usługa;Cena\nŁódź wiosłowa;45,00 zł\nPościel;12 zł\n',
    'ile kosztuje łódź wiosłowa',
    '45,00 zł',
  ],
  [
    'polski',
    'iso-8859-2',
    'Nocleg w środę kosztuje 80 złotych. Śniadanie od ósmej.',
    'ile kosztuje nocleg w środę',
    '80 złotych',
  ],
  ['čeština', 'windows-1250', 'Služba;Cena\nPůjčení kola;350 Kč\nKoň na hodinu;500 Kč\n', 'půjčení kola', '350 Kč'],
  ['slovenčina', 'iso-8859-2', 'Veľký čln stojí 30 eur, dieťa do šiestich rokov zadarmo.', 'veľký čln', '30 eur'],
  ['magyar', 'iso-8859-2', 'Jegy;Ár\nFelnőtt belépő;2500 Ft\nGyűrű;9000 Ft\n', 'felnőtt belépő', '2500 Ft'],
  [
    'română',
    'windows-1250',
    'O plimbare cu barca costă 45 de lei. Duminică şi marţi închis.',
    'plimbare cu barca',
    '45 de lei',
  ],
  ['Türkçe', 'windows-1254', 'Hizmet;Fiyat\nBalık ızgara;180 TL\nŞarap kadehi;90 TL\n', 'balık ızgara', '180 TL'],
  ['Türkçe', 'iso-8859-9', 'Öğrenci girişi 25 lira. Pazartesi kapalıyız.', 'öğrenci girişi', '25 lira'],
  ['français', 'windows-1252', 'Menu;Prix\nCrème brûlée;6 €\n« Pâté » du père;9 €\n', 'crème brûlée', '6 €'],
  ['français', 'iso-8859-1', 'Crème;5\nMère;6\n', 'crème', '5'],
  ['español', 'windows-1252', '¿Cuánto cuesta? El niño 3 €, la mañana 12 €. Nº 5, 1ª planta.', 'el niño', '3 €'],
  ['português', 'iso-8859-1', 'Pão de queijo custa 3 reais. Segunda-feira não abrimos.', 'pão de queijo', '3 reais'],
  [
    'Deutsch',
    'windows-1252',
    'Beton;Preis\nFertigbeton je m³;95 €\nKies „grob“;30 €\nSand ½ m³;9 €\n',
    'fertigbeton',
    '95 €',
  ],
  ['íslenska', 'iso-8859-1', 'Aðgangur kostar 900 krónur. Lokað á þriðjudögum.', 'aðgangur', '900 krónur'],
  [
    'русский',
    'windows-1251',
    'Услуга;Цена\nАренда лодки на час;450 рублей\nДети;бесплатно\n',
    'аренда лодки',
    '450 рублей',
  ],
] as const

describe('a file is read in its encoding, though nothing names it:', () => {
  test.each(texts)('%s in %s', async (_, encoding, text, query, answer) => {
    const isTable = text.includes('\n')
    const { tenant, file } = await newFile(stand, { fileName: isTable ? 'a.csv' : 'a.txt' })
    await newExtractor(stand, { extractText }).upload(file, encoded(text, encoding))
    await stand.deliver()
    const { body } = await tenant.call('POST', `${tenant.knowledgeBase}/search`, { query })
    const [found] = body.data
    expect(found.content).toContain(answer)
    for (const cell of text.split(/[;\n]/)) expect(found.content).toContain(cell)
  })
})
