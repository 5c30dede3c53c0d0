import { print } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';

export const versionCommand: CommandModule = (program, io) =>
  program
    .command('version')
    .description('the version of this program')
    .action(() => print(io, io.version));
