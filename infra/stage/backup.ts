import { PutMetricDataCommand } from '@aws-sdk/client-cloudwatch'
import { dimension, namespace } from '../../shared/telemetry/metrics.ts'
import { createBackup } from '../backup/backup.ts'
import { openStore } from '../backup/store.ts'
import { CommandError } from '../command-line/command-error.ts'
import { print } from '../command-line/print.ts'
import { completedBackups } from '../wiring.ts'
import type { Context } from './context.ts'
import { ownerOf } from './logins.ts'

/** Backs up the database and reports the backup to CloudWatch, whose alarm expects one a day. */
export async function backup(context: Context): Promise<void> {
  const { aws, stack, stage, program, terminal } = context
  const { to, recipient } = backupsOf(context)
  const { ownerUrl } = await ownerOf(context)
  const { name, bytes } = await createBackup(openStore(to), ownerUrl, recipient, terminal.env)
  const Dimensions = [{ Name: dimension, Value: completedBackups.reporterOf(stack) }]
  const MetricData = [{ MetricName: completedBackups.metric, Dimensions, Unit: 'Count' as const, Value: 1 }]
  await aws.metrics.send(new PutMetricDataCommand({ Namespace: namespace, MetricData }))
  print(program, { stage, backup: name, bytes }, context)
}

/** @throws CommandError if the settings name no address */
export function backupsOf({ settings, stage }: Context): { to: string; recipient: string } {
  if (settings.backups) return settings.backups
  throw new CommandError(`${stage} has no backups: set backups in infra/aws/stages/${stage}.json`)
}
