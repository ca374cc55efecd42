import { type DeployedPackage, type Lock, nameOf } from './deployed.ts'

/** Of packages that we may deploy: they ask for no more than their notice. */
const allowedLicences = new Set(['MIT', 'MIT-0', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'])

/** What is wrong, a sentence each. */
export function licenceFaults(deployed: readonly DeployedPackage[]): string[] {
  return deployed.flatMap(({ name, version, licence, lambdas }) =>
    allowedLicences.has(licence)
      ? []
      : [`${name} ${version} (in ${lambdas.join(', ')}) has the licence ${licence || 'unknown'}: see rules.ts`],
  )
}

/** Of every package that `npm ci` installs: a script of one runs with the rights of whoever installs. */
export function installScriptFaults(lock: Lock, allowed: Readonly<Record<string, boolean>>): string[] {
  const withScript = Object.entries(lock).flatMap(([key, { hasInstallScript }]) =>
    hasInstallScript ? [nameOf(key)] : [],
  )
  return [
    ...withScript
      .filter((name) => allowed[name] !== true)
      .map((name) => `${name} has an install script, which allowScripts of package.json does not name`),
    ...Object.keys(allowed)
      .filter((name) => !withScript.includes(name))
      .map((name) => `${name} is named in allowScripts of package.json, and has no install script`),
  ]
}

/** Of every package but what comes inside another: without a hash of it, or from elsewhere, another could come in its place. */
export function originFaults(lock: Lock): string[] {
  return Object.entries(lock).flatMap(([key, { integrity, resolved, inBundle }]) => {
    if (key === '' || inBundle) return []
    if (!integrity?.startsWith('sha512-')) return [`${nameOf(key)} has no SHA-512 in package-lock.json`]
    return resolved === undefined || resolved.startsWith('https://registry.npmjs.org/')
      ? []
      : [`${nameOf(key)} comes from ${new URL(resolved).host}, not from npm’s registry`]
  })
}
