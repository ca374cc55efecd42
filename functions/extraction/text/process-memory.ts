import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Resident memory in MB; undefined for a process that has ended, and on Windows. */
export async function residentMb(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined
  const kilobytes = process.platform === 'linux' ? await fromProc(pid) : await fromPs(pid)
  return kilobytes === undefined ? undefined : kilobytes / 1024
}

async function fromProc(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const size = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return size === undefined ? undefined : Number(size)
}

async function fromPs(pid: number): Promise<number | undefined> {
  if (process.platform === 'win32') return undefined
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return Number(stdout) || undefined
}
