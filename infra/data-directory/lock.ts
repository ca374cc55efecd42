import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Creates and locks `directory`. @returns a function that releases the lock @throws Error on one line if a live process holds it */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true })
  const lock = join(directory, 'lock')
  const holder = `${process.pid} ${startOf(process.pid)}\n`
  const draft = `${lock}.${process.pid}.${crypto.randomUUID()}`
  await writeFile(draft, holder)
  try {
    // link() creates the lock with its content in one step, unlike an exclusive open followed by a write.
    while (!(await succeeds(link(draft, lock), 'EEXIST'))) await removeStale(lock, directory)
  } finally {
    await rm(draft, { force: true })
  }
  return () => rm(lock, { force: true })
}

export async function holderOf(directory: string): Promise<number | undefined> {
  const holder = await readFile(join(directory, 'lock'), 'utf8').catch(() => '')
  return holder && isAlive(holder) ? Number.parseInt(holder, 10) : undefined
}

async function removeStale(lock: string, directory: string) {
  const holder = await readFile(lock, 'utf8').catch(() => '')
  if (holder && isAlive(holder))
    throw new Error(
      `${directory} is in use by process ${holder.split(' ')[0]}: stop it, or set DATA_DIR to another directory`,
    )
  const stale = `${lock}.${process.pid}.${crypto.randomUUID()}`
  if (!(await succeeds(rename(lock, stale), 'ENOENT'))) return
  // Another process may have replaced the stale lock between the read and the rename. If so, this puts its lock back.
  if ((await readFile(stale, 'utf8')) !== holder) await succeeds(link(stale, lock), 'EEXIST')
  await rm(stale, { force: true })
}

async function succeeds(work: Promise<void>, expectedCode: string): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === expectedCode) return false
    throw error
  }
}

function isAlive(holder: string): boolean {
  const [pid = '', ...start] = holder.trim().split(' ')
  return startOf(Number(pid)) === start.join(' ')
}

/** The start time of a process, because pids are reused; undefined if it has ended. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'lstart=', '-p', `${pid}`], { stdio: 'pipe' })
        .toString()
        .trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // The 22nd field has the ticks since boot. The date that `ps` prints changes with the clock.
    return 'ZX'.includes(state) ? undefined : rest[18]
  } catch {
    return undefined
  }
}
