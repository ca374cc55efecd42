import { dimension, namespace } from '../../shared/metrics.ts'
import { runProgram } from '../run-program.ts'
import { completedBackups } from '../wiring.ts'

/** Reports a backup to CloudWatch with the `aws` command and its credentials. @throws Error with what it prints */
export async function reportBackup(
  stage: string,
  run: (file: string, args: readonly string[]) => Promise<unknown> = runProgram,
): Promise<void> {
  const reporter = completedBackups.reporterOf(`cuecard-${stage}`)
  const metric = ['--namespace', namespace, '--metric-name', completedBackups.metric, '--unit', 'Count', '--value', '1']
  await run('aws', ['cloudwatch', 'put-metric-data', ...metric, '--dimensions', `${dimension}=${reporter}`])
}
