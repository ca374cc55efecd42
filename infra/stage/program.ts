import { Argument, Option } from 'commander'
import * as v from 'valibot'
import { parser, subcommand } from '../command-line/options.ts'
import { Program } from '../command-line/terminal.ts'
import { databaseUsers } from '../wiring.ts'
import { backup } from './backup.ts'
import { explain } from './checks/check.ts'
import { openStage, type Surroundings } from './context.ts'
import { type CreateOptions, create } from './create/create.ts'
import { type DeployOptions, deploy } from './deploy.ts'
import { type DestroyOptions, destroy } from './destroy.ts'
import { replaceable, replaceSecret } from './given-secrets.ts'
import { type ModelOptions, model } from './model.ts'
import { type OperatorOptions, operator } from './operators.ts'
import { pause, resume } from './pause.ts'
import { type RestoreOptions, restoreStage } from './restore.ts'
import { type RotateOptions, rotate } from './rotate.ts'
import { type StatusOptions, status } from './status.ts'

const help = `Environment: AWS’s own variables or profile; NEON_API_KEY, to check the database’s history and protection; and PG_BIN: the directory of
pg_dump and pg_restore, if they are not on the path.
Answers, in the environment or a file: of a new stage ALARM_ADDRESS, RUNBOOK_URL, and if it has them MAIL_FROM, OIDC_ISSUER, OIDC_CLIENT_ID,
PROVIDER_URL, PROVIDER_MODEL, DOMAIN, CERTIFICATE_ARN, BACKUP_TO, BACKUP_RECIPIENT, ORGANIZATION (makes a first one). A terminal prompts for missing secrets:
OWNER_URL, PROVIDER_KEY and OIDC_CLIENT_SECRET of create, OWNER_URL and BACKUP_IDENTITY of restore, PREVIOUS_PROVIDER_KEY.`

const person = parser(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9]{0,29}$/, 'must be up to 30 small letters and digits')))

/** Runs one command. @param args the arguments after `npm run stage --` @returns the exit code */
export function runStage(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const program = new Program('npm run stage --', surroundings.terminal)
  program
    .description('Make, deploy, watch over and remove a stage: dev or prod.')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', `\n${help}`)
  const yes = () => new Option('--yes', 'do not ask')
  subcommand(program, 'create <stage>', 'make the missing ones of settings, secrets, schema, logins and the canary')
    .addOption(yes())
    .option('--dry-run', 'only show what is there and what is missing')
    .option('--answers <file>', 'lines of NAME=value; - is standard input')
    .option('--key-file <file>', 'write the first organization’s key to a new file instead of printing it')
    .action((stage: string, options: CreateOptions) => create(surroundings, program, stage, options))
  const open = (stage: string) => openStage(surroundings, program, stage)
  subcommand(program, 'deploy <stage>', 'check, migrate, deploy, and try it from outside')
    .option('--at-once', 'shift all requests at once, despite alarms: for a fix during an outage')
    .action((stage: string, options: DeployOptions) => deploy(open(stage), options))
  subcommand(program, 'rotate <stage>', 'new database logins and passwords, without a failed request')
    .addOption(
      new Option('--login <lambda...>', 'of these Lambdas only').choices(databaseUsers).default(databaseUsers, 'all'),
    )
    .addOption(yes())
    .action((stage: string, options: RotateOptions) => rotate(open(stage), options))
  subcommand(program, 'secret <stage>', 'check and store another key, client secret or owner’s URL')
    .addArgument(new Argument('<name>', 'which').choices(replaceable))
    .action((stage: string, name: (typeof replaceable)[number]) => replaceSecret(open(stage), name))
  subcommand(program, 'operator <stage>', 'a person’s login for npx cuecard, or a new password for it')
    .argument('<person>', 'such as ada', person)
    .option('--remove', 'drop the login')
    .action((stage: string, name: string, options: OperatorOptions) => operator(open(stage), name, options))
  subcommand(program, 'model <stage>', 'change the agents to the embedding model of the settings; show the progress')
    .option('--back', 'to the model of previousProvider, whose vectors are kept for 7 days')
    .option('--finish', 'delete the kept vectors of former models now')
    .action((stage: string, options: ModelOptions) => model(open(stage), options))
  subcommand(program, 'pause <stage>', 'stop everything that reads or writes the database').action((stage: string) =>
    pause(open(stage)),
  )
  subcommand(program, 'resume <stage>', 'undo a pause').action((stage: string) => resume(open(stage)))
  subcommand(program, 'backup <stage>', 'back up the database, encrypted, to the settings’ address').action(
    (stage: string) => backup(open(stage)),
  )
  subcommand(program, 'restore <stage>', 'move to another database: a branch of an earlier moment, or an empty one')
    .option('--backup [name]', 'fill the empty database from a backup, the newest by default')
    .option('--lost', 'the former database is gone, and so are its erasures and revocations since the last backup')
    .option('--answers <file>', 'lines of NAME=value; - is standard input')
    .addOption(yes())
    .action((stage: string, options: RestoreOptions) => restoreStage(open(stage), options))
  subcommand(program, 'status <stage>', 'what a deploy needs, alarms, the canary, the last backup, versions')
    .option('--secrets', 'try every secret, and look at the documents: needs the right to read the secrets')
    .action((stage: string, options: StatusOptions) => status(open(stage), options))
  subcommand(program, 'destroy <stage>', 'delete a stage without termination protection, with its files and secrets')
    .option('--yes-destroy <stage>', 'the stage’s name again, instead of typing it')
    .option('--logins', 'drop the database logins too')
    .action((stage: string, options: DestroyOptions) => destroy(open(stage), options))
  return program.run(args, explain)
}
