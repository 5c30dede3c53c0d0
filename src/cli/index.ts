/**
 * The commands of `gatewright` beside those that serve. One folder a command: `command.ts` has its options, help and exit codes, and loads what it
 * does when it runs, so that `--help` answers at once. What several share is in `kit`.
 */
export { collectCommand } from './collect/command.ts';
export { completionCommand } from './completion/command.ts';
export { configCommand } from './config/command.ts';
export { describeCommand } from './describe/command.ts';
export { diffCommand } from './diff/command.ts';
export { dumpCommand } from './dump/command.ts';
export { explainCommand } from './explain/command.ts';
export { getCommand } from './get/command.ts';
export { asking, type CommonOptions, guarded, run } from './kit/command.ts';
export { checkGivenPaths, nameManifests } from './kit/given-paths.ts';
export type { CliIo, CommandModule } from './kit/io.ts';
export { logsCommand } from './logs/command.ts';
export { migrateCommand } from './migrate/command.ts';
export { nodesCommand } from './nodes/command.ts';
export { openCommand } from './open/command.ts';
export { precheckCommand } from './precheck/command.ts';
export { routeTestCommand } from './route-test/command.ts';
export { snapshotCommand } from './snapshot/command.ts';
export { statusCommand } from './status/command.ts';
export { syncCommand } from './sync/command.ts';
export { topCommand } from './top/command.ts';
export { translateCommand } from './translate/command.ts';
export { validateCommand } from './validate/command.ts';
export { versionCommand } from './version/command.ts';
