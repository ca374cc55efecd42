/** The international spelling alphabet of ICAO and NATO (ICAO Annex 10, volume II, 5.2.1.3), as recognisers write it: names that mean little else. */
export const icaoLetters: Record<string, string> = {
  b: 'bravo',
  f: 'foxtrot',
  k: 'kilo',
  x: 'x ray, xray',
  z: 'zulu',
}

/** The rest of that alphabet: names that are people, places and things too. */
export const icaoNames: Record<string, string> = {
  a: 'alpha, alfa',
  c: 'charlie',
  d: 'delta',
  e: 'echo',
  g: 'golf',
  h: 'hotel',
  i: 'india',
  j: 'juliet, juliett',
  l: 'lima',
  m: 'mike',
  n: 'november',
  o: 'oscar',
  p: 'papa',
  q: 'quebec',
  r: 'romeo',
  s: 'sierra',
  t: 'tango',
  u: 'uniform',
  v: 'victor',
  w: 'whiskey, whisky',
  y: 'yankee',
}

export function together(a: Record<string, string>, b: Record<string, string>): Record<string, string> {
  const joined = { ...a }
  for (const [key, list] of Object.entries(b)) joined[key] = joined[key] ? `${joined[key]}, ${list}` : list
  return joined
}
