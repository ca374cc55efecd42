import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Takes `directory` (made if missing) for this process alone, by a file named `lock` in it.
 * Throws a one-line Error while another live process holds it; the lock of a process that was killed is taken over.
 * @returns gives the directory back
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true })
  const lock = join(directory, 'lock')
  const mine = `${process.pid} ${startOf(process.pid)}\n`
  const draft = `${lock}.${process.pid}.${crypto.randomUUID()}`
  await writeFile(draft, mine)
  try {
    // link() makes the lock appear whole or not at all, unlike an exclusive open that is written to afterwards.
    while (!(await succeeds(link(draft, lock), 'EEXIST'))) await evict(lock, directory)
  } finally {
    await rm(draft, { force: true })
  }
  return () => rm(lock, { force: true })
}

/** The live process that holds `directory`; undefined when none does. */
export async function holderOf(directory: string): Promise<number | undefined> {
  const holder = await readFile(join(directory, 'lock'), 'utf8').catch(() => '')
  return holder && isAlive(holder) ? Number.parseInt(holder, 10) : undefined
}

async function evict(lock: string, directory: string) {
  const holder = await readFile(lock, 'utf8').catch(() => '')
  if (holder && isAlive(holder)) throw new Error(`${directory} is in use by process ${holder.split(' ')[0]}`)
  const grave = `${lock}.${process.pid}.${crypto.randomUUID()}`
  if (!(await succeeds(rename(lock, grave), 'ENOENT'))) return
  // Between reading and renaming another process may have evicted the dead holder and moved in: give that one back.
  if ((await readFile(grave, 'utf8')) !== holder) await succeeds(link(grave, lock), 'EEXIST')
  await rm(grave, { force: true })
}

async function succeeds(work: Promise<void>, refusal: string): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === refusal) return false
    throw error
  }
}

function isAlive(holder: string): boolean {
  const [pid = '', ...start] = holder.trim().split(' ')
  return startOf(Number(pid)) === start.join(' ')
}

/** When the process began, since pids are used again; undefined where there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'lstart=', '-p', `${pid}`], { stdio: 'pipe' })
        .toString()
        .trim()
    // Ticks since boot, the 22nd field. `ps` prints a date that moves with the clock.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
