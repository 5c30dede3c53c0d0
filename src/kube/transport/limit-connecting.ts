import type { Socket } from 'node:net';
import { KubeError } from '../kube-error.ts';
import { connectMs } from './answer.ts';

/** A kernel answers at once; the next try goes through at once after an outage, where a pending one would wait for its next packet. */
export function limitConnecting(socket: Socket, { host }: URL): void {
  const late = () =>
    socket.destroy(new KubeError({ code: 'unreachable', message: `${host}: no connection in ${connectMs} ms` }));
  const timer = setTimeout(late, connectMs);
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
}
