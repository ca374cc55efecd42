/** The reader's values, by their names in the samples, such as `API_KEY`; sessionStorage keeps them for this tab only. */
const prefix = 'cuecard:$'
const changed = new EventTarget()

/** The address of the API, from which this page comes: `…/v1/docs` is its page. */
const baseUrl = new URL('..', location.href).href.replace(/\/$/, '')

/** @param {string} name */
export function readValue(name) {
  return name === 'BASE_URL' ? baseUrl : (sessionStorage.getItem(prefix + name) ?? '')
}

/**
 * Without what could end a string in one of the samples, and white space around a pasted value.
 *
 * @param {string} name
 * @param {string} value
 */
export function setValue(name, value) {
  const clean = value.replaceAll(/[^!-~]|["'`\\$]/g, '')
  if (clean) sessionStorage.setItem(prefix + name, clean)
  else sessionStorage.removeItem(prefix + name)
  changed.dispatchEvent(new Event('change'))
}

export function forgetValues() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  changed.dispatchEvent(new Event('change'))
}

/** @param {() => void} listener called now and after every change */
export function watchValues(listener) {
  changed.addEventListener('change', listener)
  listener()
}

/** @param {string} text with names such as `$API_KEY`; those without a value stay */
export function fillIn(text) {
  return text.replaceAll(/\$([A-Z][A-Z_]*)/g, (whole, name) => readValue(name) || whole)
}
