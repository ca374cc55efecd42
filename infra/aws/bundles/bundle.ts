import { cp, rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { type Lambda, lambdas } from '../../wiring.ts'

const root = join(import.meta.dirname, '../../..')

/** Every entry point that is deployed: the Lambdas of the wiring table, and the one that migrates. */
export const entryPoints = {
  ...mapValues(lambdas, (lambda): string => lambda.entry),
  migrate: 'infra/migrations/handler.ts',
}

export type BundleName = keyof typeof entryPoints

/** A built Lambda: the directory to deploy; its code's sizes in bytes, `startBytes` without what only a dynamic import loads. */
export type Bundle = { readonly directory: string; readonly bytes: number; readonly startBytes: number }

/** Builds all Lambdas into `<outdir>/<name>/handler.mjs`, each as Lambda loads it: one ES module, minified. */
export async function bundleAll(outdir: string): Promise<Record<BundleName, Bundle>> {
  const names = Object.keys(entryPoints) as BundleName[]
  const bundles = await Promise.all(names.map((name) => bundle(name, join(outdir, name))))
  return Object.fromEntries(names.map((name, index) => [name, bundles[index]])) as Record<BundleName, Bundle>
}

/**
 * `@aws-sdk/*` stays outside and comes from the Lambda runtime. Its two clients weigh 180 kB even with the credential
 * chains cut out, and the Neon driver (146 kB) with Kysely (147 kB) leave no room for them under 400 kB. We use three
 * calls of it, all stable since v3.0, so the runtime's version serves. Everything else is in the bundle.
 */
export async function bundle(name: BundleName, directory: string): Promise<Bundle> {
  await rm(directory, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { handler: entryPoints[name] },
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is imported dynamically stays in a file of its own and is read when it is first needed.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    // pg-native is pg's optional other half, which it loads only when asked to.
    external: ['@aws-sdk/*', 'pg-native'],
    // For CommonJS packages, pg among them, that require what Node.js has built in.
    banner: { js: `import { createRequire } from 'node:module';const require = createRequire(import.meta.url);` },
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  rejectMissingRequires(name, metafile)
  for (const file of packagedOf(name))
    await cp(join(root, 'node_modules', file), join(directory, 'node_modules', file), { recursive: true })
  const outputs = Object.values(metafile.outputs)
  return {
    directory,
    bytes: outputs.reduce((sum, output) => sum + output.bytes, 0),
    startBytes: startBytes(metafile),
  }
}

function packagedOf(name: BundleName): readonly string[] {
  return name === 'migrate' ? [] : ((lambdas[name] as Lambda).packaged ?? [])
}

/** A `require` of what is neither built in nor bundled fails on Lambda only when it is reached: better here and now. */
function rejectMissingRequires(name: string, metafile: Metafile): void {
  for (const [file, output] of Object.entries(metafile.outputs)) {
    const missing = output.imports.find(
      ({ kind, path }) => kind === 'require-call' && !isBuiltin(path) && path !== 'pg-native',
    )
    if (missing) throw new Error(`The bundle of ${name} requires '${missing.path}' in ${file}, which is not deployed.`)
  }
}

function startBytes(metafile: Metafile): number {
  const entry = Object.keys(metafile.outputs).find((file) => metafile.outputs[file]?.entryPoint)
  const pending = [entry]
  const seen = new Set<string>()
  for (const file of pending) {
    const output = file === undefined || seen.has(file) ? undefined : metafile.outputs[file]
    if (file === undefined || !output) continue
    seen.add(file)
    pending.push(...output.imports.filter((imported) => imported.kind === 'import-statement').map(({ path }) => path))
  }
  return [...seen].reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0)
}

function mapValues<K extends string, V, W>(record: Record<K, V>, map: (value: V) => W): Record<K, W> {
  return Object.fromEntries(Object.entries<V>(record).map(([key, value]) => [key, map(value)])) as Record<K, W>
}
