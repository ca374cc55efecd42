import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readAudit } from '../../infra/supply-chain/audit.ts'
import { type DeployedPackage, deployedPackages, type Lock, readLock } from '../../infra/supply-chain/deployed.ts'
import { installScriptFaults, licenceFaults, originFaults } from '../../infra/supply-chain/rules.ts'
import { toSbom } from '../../infra/supply-chain/sbom.ts'

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
let lock: Lock
let deployed: DeployedPackage[]
beforeAll(async () => {
  lock = await readLock()
  deployed = await deployedPackages(lock)
}, 240_000)

describe('what is deployed', () => {
  test('is what the bundles have: direct, native and copied packages, and nothing of development', () => {
    const byName = new Map(deployed.map(({ name, lambdas }) => [name, lambdas]))
    expect(byName.get('valibot')).toContain('search')
    expect(byName.get('@firecrawl/anydoc-linux-arm64-gnu')).toEqual(['extraction'])
    expect(byName.get('htmx.org')).toEqual(['dashboard'])
    expect(byName.get('gpt-tokenizer')).toEqual(['embedding'])
    for (const name of ['aws-cdk-lib', 'esbuild', 'vitest', '@electric-sql/pglite', 'fauxqs', '@aws-sdk/client-sqs'])
      expect(byName.has(name), name).toBe(false)
  })

  test('has licences that we allow', () => {
    expect(licenceFaults(deployed)).toEqual([])
  })

  test.each(['GPL-3.0-only', 'SEE LICENSE IN LICENSE', ''])('may not have the licence “%s”', (licence) => {
    const [first] = deployed as [DeployedPackage]
    expect(licenceFaults([{ ...first, name: 'new', licence, lambdas: ['search'] }])).toEqual([
      expect.stringMatching(/^new .* \(in search\) has the licence /),
    ])
  })
})

describe('what is installed', () => {
  test('runs no script but those that package.json names', () => {
    expect(installScriptFaults(lock, manifest.allowScripts)).toEqual([])
    const more: Lock = { ...lock, 'node_modules/a/node_modules/@b/c': { version: '1.0.0', hasInstallScript: true } }
    expect(installScriptFaults(more, manifest.allowScripts)).toEqual([
      expect.stringMatching(/^@b\/c has an install script/),
    ])
  })

  test('comes from npm’s registry, each with its hash', () => {
    expect(originFaults(lock)).toEqual([])
    const resolved = 'https://example.com/a.tgz'
    expect(originFaults({ 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x', resolved } })).toEqual([
      'a comes from example.com, not from npm’s registry',
    ])
    expect(originFaults({ 'node_modules/a': { version: '1.0.0' } })).toEqual(['a has no SHA-512 in package-lock.json'])
  })
})

describe('the audit', () => {
  test('names what the registry knows of', () => {
    const vulnerabilities = { hono: { name: 'hono', severity: 'high', via: [], range: '<4.13.20', fixAvailable: true } }
    expect(readAudit(JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: {} }))).toEqual({
      reached: true,
      faults: ['hono <4.13.20: high'],
    })
    expect(readAudit('{"auditReportVersion":2,"vulnerabilities":{},"metadata":{}}')).toEqual({
      reached: true,
      faults: [],
    })
  })

  test('does not call it clean where the registry was not reached', () => {
    expect(readAudit('{"message":"405 Method Not Allowed","statusCode":405}')).toEqual({
      reached: false,
      reason: '405 Method Not Allowed',
    })
    expect(readAudit('')).toEqual({ reached: false, reason: 'npm audit has printed no report' })
  })
})

describe('the bill of materials', () => {
  type Component = { type: string; 'bom-ref': string; purl?: string; hashes?: { content: string }[] }
  type Sbom = { components: Component[]; dependencies: { ref: string; dependsOn: string[] }[] }

  test('has every package with its hash and its licence, under npm’s own name for it', () => {
    const { components } = toSbom('1.0.0', deployed) as Sbom
    const libraries = components.filter(({ type }) => type === 'library')
    expect(libraries).toHaveLength(deployed.length)
    expect(libraries.find(({ purl }) => purl?.startsWith('pkg:npm/%40neondatabase/serverless@'))).toMatchObject({
      group: '@neondatabase',
      name: 'serverless',
      version: lock['node_modules/@neondatabase/serverless']!.version,
      licenses: [{ license: { id: 'MIT' } }],
    })
    for (const { purl, hashes } of libraries) expect(hashes?.[0]?.content, purl).toMatch(/^[0-9a-f]{128}$/)
  })

  test('says which Lambda has which, and refers to nothing that it lacks', () => {
    const { components, dependencies } = toSbom('1.0.0', deployed) as Sbom
    const known = new Set(components.map((component) => component['bom-ref']))
    expect(known.size).toBe(components.length)
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) expect(known).toContain(ref)
    const migrate = dependencies.find(({ ref }) => ref === 'cuecard-migrate')!
    expect(migrate.dependsOn).toContainEqual(expect.stringMatching(/^pkg:npm\/pg@/))
    const search = dependencies.find(({ ref }) => ref === 'cuecard-search')!
    expect(search.dependsOn).not.toContainEqual(expect.stringMatching(/^pkg:npm\/pg@/))
  })

  test('is the same for the same bundles', () => {
    expect(toSbom('1.0.0', deployed)).toEqual(toSbom('1.0.0', structuredClone(deployed)))
  })
})
