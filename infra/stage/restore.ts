import { readStageFile, writeStageFile } from '../aws/stage-file.ts'
import { listRemovals } from '../backup/backup.ts'
import { removalsIn } from '../backup/removals.ts'
import { restore } from '../backup/restore.ts'
import { openStore } from '../backup/store.ts'
import { CommandError } from '../command-line/command-error.ts'
import { print } from '../command-line/print.ts'
import { sentenceOf } from '../command-line/sentence.ts'
import { answersIn, confirm, secretsFrom } from './answers.ts'
import { backupsOf } from './backup.ts'
import { carryOut, stepsOf } from './checks/check.ts'
import { stateChecks } from './checks/stage.ts'
import type { Context } from './context.ts'
import { makeJourney } from './deploy.ts'
import { workingSecrets } from './given-secrets.ts'
import { closeLogins, isSameDatabase } from './logins.ts'
import { secondsToEnd, start, stop } from './pause.ts'

export interface RestoreOptions {
  /** The backup's name, or true for the newest. */
  backup?: string | true
  lost?: true
  answers?: string
  yes?: true
}

/**
 * Moves a stage to another database, which a backup fills or which is a branch of an earlier moment. No Lambda can write to it before it
 * is whole. The same command continues an interrupted move.
 */
export async function restoreStage(context: Context, { backup, lost, answers, yes }: RestoreOptions): Promise<void> {
  const { program, secrets, stage, terminal, database, directory } = context
  const given = await answersIn(terminal, answers)
  const store = backup === undefined ? undefined : openStore(backupsOf(context).to)
  const owner = await workingSecrets(context, given, ['database-owner'])
  const url = owner['database-owner']
  const name = backup === true ? undefined : backup
  const ask = async () =>
    (await secretsFrom(terminal, given, { BACKUP_IDENTITY: 'secret key of the backups' })).BACKUP_IDENTITY
  const from = store && { store, identity: await ask(), name, env: terminal.env }
  const kept = (await secrets.read('database-owner')).value
  // An earlier, interrupted run has already read the former database's removals.
  const former = lost || !kept || isSameDatabase(kept, url) ? undefined : database(kept)
  if (former) await requireAnswer(former)
  const { hostname, pathname } = new URL(url)
  program.warn(`${stage} stops, moves to ${pathname.slice(1)} at ${hostname}, and loses everything written since.`)
  if (!yes) await confirm(terminal, 'Go ahead? [y/N]', '--yes')
  try {
    await stop(context)
    const untilQuiet = waitFrom(context)
    const restored = await restore({
      url,
      db: database(url),
      backup: from,
      signal: terminal.signal,
      onProgress: (line) => program.warn(line),
      async removals() {
        await untilQuiet()
        // Comes first, so that no operator revokes or erases anything there that the list lacks.
        if (former) await closeLogins(former)
        return [...(former ? [await removalsIn(former)] : []), ...(store ? await listRemovals(store) : [])]
      },
    })
    await carryOut(program, await stepsOf(stateChecks(context, url, owner)))
    await writeStageFile(directory, stage, { ...readStageFile(directory, stage)!, databaseHost: hostname })
    await start(context)
    const canary = await makeJourney(context)
    print(program, { stage, ...restored, canary }, context)
    program.warn(`Commit infra/aws/stages/${stage}.json, which names the new host.`)
  } catch (error) {
    program.warn(`${stage} may be paused: the same command continues.`)
    throw error
  }
}

async function requireAnswer(former: Parameters<typeof removalsIn>[0]): Promise<void> {
  await removalsIn(former).catch((error) => {
    throw new CommandError(`the former database does not answer: ${sentenceOf(error)}. If it is gone, pass --lost`)
  })
}

/** @returns a function that waits until all earlier runs have ended */
function waitFrom({ program, pause, stage }: Context): () => Promise<unknown> {
  const stopped = performance.now()
  return async () => {
    const seconds = secondsToEnd - (performance.now() - stopped) / 1000
    program.warn(`${stage} is paused. Current runs end within ${Math.max(0, Math.ceil(seconds))} s.`)
    if (seconds > 0) await pause(seconds * 1000)
  }
}
