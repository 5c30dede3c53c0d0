import type { SharedPort } from '../../offline/preview/index.ts';
import type { CliIo } from './io.ts';

/** Says of each port that several Gateways want what that means where there is one machine; in a cluster it is nothing unusual. */
export function notePorts(ports: readonly SharedPort[], io: Pick<CliIo, 'writeError'>): void {
  for (const { port, gateways } of ports)
    io.writeError(
      `note: port ${port} is wanted by Gateways ${gateways.join(' and ')}; with \`gatewright run\`, on one machine, only the oldest of them has it\n`,
    );
}
