import { glob } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Metafile } from 'esbuild'

/** From the first `node_modules`, which may be a link to a folder elsewhere, to the innermost package. */
const packagePath = /node_modules\/(.*node_modules\/)?(@[^/]+\/)?[^/]+/

/** Of package-lock.json, for what code names: `@scope/name/file.css`. */
export function packageOf(specifier: string): string {
  return `node_modules/${/^(@[^/]+\/)?[^/]+/.exec(specifier)![0]}`
}

/** Those whose code esbuild has put into a bundle, those beside it with native code, and those that were `copied` from. */
export async function packagesIn(metafile: Metafile, directory: string, copied: readonly string[]): Promise<string[]> {
  const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) =>
      bytesInOutput > 0 ? (packagePath.exec(file)?.[0] ?? []) : [],
    ),
  )
  const native: string[] = []
  for await (const file of glob('node_modules/{*,@*/*}/package.json', { cwd: directory })) native.push(dirname(file))
  return [...new Set([...bundled, ...native, ...copied])].sort()
}
