import type { DeployedPackage } from './deployed.ts'

/**
 * A software bill of materials of what is deployed, as CycloneDX 1.6 in JSON: each Lambda, each package, and which Lambda has which.
 * Without a time and a serial number: equal bundles have equal ones.
 */
export function toSbom(version: string, deployed: readonly DeployedPackage[]): object {
  const lambdas = [...new Set(deployed.flatMap((each) => each.lambdas))].sort()
  const system = { type: 'application', 'bom-ref': 'cuecard', name: 'cuecard', version }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: system },
    components: [
      ...lambdas.map((name) => ({
        type: 'application',
        'bom-ref': `cuecard-${name}`,
        name: `cuecard-${name}`,
        version,
      })),
      ...deployed.map(toComponent),
    ],
    dependencies: [
      { ref: 'cuecard', dependsOn: lambdas.map((name) => `cuecard-${name}`) },
      ...lambdas.map((name) => ({
        ref: `cuecard-${name}`,
        dependsOn: deployed.filter((each) => each.lambdas.includes(name)).map(purlOf),
      })),
    ],
  }
}

function toComponent(deployed: DeployedPackage): object {
  const { name, version, licence, integrity } = deployed
  const [, scope, base] = /^(?:(@[^/]+)\/)?(.+)$/.exec(name)!
  return {
    type: 'library',
    'bom-ref': purlOf(deployed),
    ...(scope && { group: scope }),
    name: base,
    version,
    purl: purlOf(deployed),
    ...(licence && { licenses: [{ license: { id: licence } }] }),
    ...(integrity && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    }),
  }
}

function purlOf({ name, version }: DeployedPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
