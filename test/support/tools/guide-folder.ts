import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A folder as a reader of the guides makes it: `npm init -y`. */
export async function commonFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cuecard-guide-'))
  await promisify(execFile)('npm', ['init', '-y'], { cwd: folder })
  return folder
}

/** Saves a TypeScript of a guide under the name that the guide gives it. Node 20 needs tsx to run it. */
export async function savedAs(folder: string, name: string, guide: string, script: string): Promise<string> {
  for (const command of [`npx tsx ${name}`, `node ${name}`])
    if (!guide.includes(`\`${command}\``)) throw new Error(`The guide does not say ${command}`)
  await writeFile(join(folder, name), script)
  return join(folder, name)
}
