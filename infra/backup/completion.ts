import { dimension, namespace } from '../../shared/metrics.ts'
import { runProgram } from '../run-program.ts'

/** Counts complete backups. The alarm _backup-missing_ watches it. */
export const completedBackups = 'BackupsCompleted'

export function reporterOf(stack: string): string {
  return `${stack}-backup`
}

/** Reports a backup to CloudWatch with the `aws` command and its credentials. @throws Error with what it prints */
export async function reportBackup(
  stage: string,
  run: (file: string, args: readonly string[]) => Promise<unknown> = runProgram,
): Promise<void> {
  const metric = ['--namespace', namespace, '--metric-name', completedBackups, '--unit', 'Count', '--value', '1']
  const dimensions = ['--dimensions', `${dimension}=${reporterOf(`cuecard-${stage}`)}`]
  await run('aws', ['cloudwatch', 'put-metric-data', ...metric, ...dimensions])
}
