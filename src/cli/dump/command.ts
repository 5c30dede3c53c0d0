import { asking, type CommonOptions, showWhole } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';

export const dumpCommand: CommandModule = (program, io) =>
  asking(program, 'dump', 'the Envoy resources that a data plane is sent, keys redacted')
    .argument('<node>', 'id of the data plane, as `nodes` lists it')
    .action((node: string, options: CommonOptions) =>
      showWhole(options, io, `/v1/snapshot?format=envoy&node=${encodeURIComponent(node)}`),
    );
