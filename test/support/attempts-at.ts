import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

export interface Teardown {
  readonly teardown: (end: () => void) => void;
}

/** Sockets of this process that have tried to connect to the port since the call. */
export function attemptsAt(t: Teardown, port: number): readonly Socket[] {
  const sockets: Socket[] = [];
  const note = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    socket.once('connectionAttempt', (_address, to) => to === port && sockets.push(socket));
  };
  subscribe('net.client.socket', note);
  t.teardown(() => unsubscribe('net.client.socket', note));
  return sockets;
}
