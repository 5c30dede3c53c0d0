import { asking, type CommonOptions, showWhole } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';

export const snapshotCommand: CommandModule = (program, io) =>
  asking(program, 'snapshot', 'the intermediate representation of all that is served').action(
    (options: CommonOptions) => showWhole(options, io, '/v1/snapshot'),
  );
