/** The international spelling alphabet of ICAO and NATO (ICAO Annex 10, volume II, 5.2.1.3), as recognisers write it: names that mean little else. */
export const icaoLetters: Record<string, string> = {
  b: 'bravo',
  f: 'foxtrot',
  k: 'kilo',
  x: 'x ray, xray',
  z: 'zulu',
}

/** The rest of that alphabet: names that are people, places and things too. */
export const icaoNames = table(`
  a alpha, alfa; c charlie; d delta; e echo; g golf; h hotel; i india; j juliet, juliett; l lima; m mike;
  n november; o oscar; p papa; q quebec; r romeo; s sierra; t tango; u uniform; v victor; w whiskey, whisky;
  y yankee
`)

/** A record from entries `key value; key value`. */
export function table(entries: string): Record<string, string> {
  const pairs = entries.split(';').map((entry) => /^(\S+) (.*)$/s.exec(entry.trim())!)
  return Object.fromEntries(pairs.map(([, key, value]) => [key, value]))
}

/** Adds the entries to those of `base`, key by key. */
export function together(base: Record<string, string>, entries: string): Record<string, string> {
  const added = Object.entries(table(entries)).map(([key, list]) => [key, base[key] ? `${base[key]}, ${list}` : list])
  return { ...base, ...Object.fromEntries(added) }
}
