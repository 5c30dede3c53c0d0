import { Command } from 'commander';
import {
  type CliIo,
  type CommandModule,
  collectCommand,
  completionCommand,
  configCommand,
  describeCommand,
  diffCommand,
  dumpCommand,
  explainCommand,
  getCommand,
  logsCommand,
  migrateCommand,
  nodesCommand,
  openCommand,
  precheckCommand,
  routeTestCommand,
  snapshotCommand,
  statusCommand,
  syncCommand,
  topCommand,
  translateCommand,
  validateCommand,
  versionCommand,
} from '../cli/index.ts';
import { controlPlaneCommand } from './commands/control-plane.ts';
import { dataPlaneCommand } from './commands/data-plane.ts';
import { runCommand } from './commands/run.ts';
import type { LoadAddOns } from './control-plane/index.ts';

/** What the program has besides; nothing by default. */
export interface ProgramAddOns {
  readonly load?: LoadAddOns;
  readonly commands?: readonly CommandModule[];
}

/** The program's commands, in the order of its help. */
export function createProgram(
  io: CliIo,
  { load = async () => undefined, commands: ofAddOns = [] }: ProgramAddOns = {},
): Command {
  const commands: readonly CommandModule[] = [
    runCommand(load),
    controlPlaneCommand(load),
    dataPlaneCommand,
    validateCommand,
    configCommand,
    statusCommand,
    getCommand,
    describeCommand,
    topCommand,
    logsCommand,
    nodesCommand,
    syncCommand,
    snapshotCommand,
    dumpCommand,
    openCommand,
    collectCommand,
    routeTestCommand,
    ...ofAddOns,
    precheckCommand,
    completionCommand,
    versionCommand,
    explainCommand,
    translateCommand,
    diffCommand,
    migrateCommand,
  ];
  const program = new Command('gatewright').description('Kubernetes Gateway API, served by Envoy').version(io.version);
  // Before the commands, which inherit it.
  program
    .exitOverride(({ exitCode }) => io.exit(exitCode === 0 ? 0 : 2))
    .configureOutput({ writeOut: (text) => io.write(text), writeErr: (text) => io.writeError(text) });
  for (const add of commands) add(program, io);
  return program;
}
