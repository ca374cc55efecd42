import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { audit } from './audit.ts'
import { deployedPackages, readLock } from './deployed.ts'
import { installScriptFaults, licenceFaults, originFaults } from './rules.ts'
import { toSbom } from './sbom.ts'

const { values } = parseArgs({ options: { sbom: { type: 'string' } } })
const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'))
const lock = await readLock()
const [deployed, audited] = await Promise.all([deployedPackages(lock), audit()])

for (const { name, version, licence, lambdas } of deployed)
  console.log(`${name.padEnd(36)} ${version.padEnd(10)} ${(licence || '?').padEnd(14)} ${lambdas.join(' ')}`)
console.log(`${deployed.length} packages are deployed, of ${Object.keys(lock).length - 1} in package-lock.json.`)
if (!audited.reached)
  console.log(`npm audit: not reachable, so nothing is known of vulnerabilities (${audited.reason})`)
else if (audited.faults.length === 0) console.log('npm audit: no known vulnerability without development')
if (values.sbom) {
  await writeFile(values.sbom, `${JSON.stringify(toSbom(manifest.version, deployed), null, 2)}\n`)
  console.log(`SBOM (CycloneDX): ${values.sbom}`)
}

const faults = [
  ...licenceFaults(deployed),
  ...installScriptFaults(lock, manifest.allowScripts),
  ...originFaults(lock),
  ...(audited.reached ? audited.faults.map((fault) => `npm audit: ${fault}`) : []),
]
for (const fault of faults) console.error(`error: ${fault}`)
if (faults.length > 0) process.exitCode = 1
