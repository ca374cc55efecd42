import { dimension, namespace } from '../../shared/metrics.ts'
import { output } from './child.ts'

/** The metric of complete backups: an alarm of the stage misses it. */
export const completedBackups = 'BackupsCompleted'

export function reporterOf(stack: string): string {
  return `${stack}-backup`
}

type Run = (file: string, args: readonly string[]) => Promise<unknown>

/** Tells CloudWatch, by the `aws` command with its credentials, in the account of the stage. @throws Error with what it says */
export async function reportBackup(stage: string, run: Run = output): Promise<void> {
  const metric = ['--namespace', namespace, '--metric-name', completedBackups, '--unit', 'Count', '--value', '1']
  const dimensions = ['--dimensions', `${dimension}=${reporterOf(`cuecard-${stage}`)}`]
  await run('aws', ['cloudwatch', 'put-metric-data', ...metric, ...dimensions])
}
