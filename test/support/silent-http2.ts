import type { Socket } from 'node:net';

/** One end of a connection of HTTP/2 that says it speaks it, and answers no ping. Frames: RFC 9113, 4.1. */

/** SETTINGS without any. */
const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frameHeaderBytes = 9;
const pingType = 6;

export const sayHello = (socket: Socket, side: 'client' | 'server'): boolean =>
  socket.write(side === 'client' ? Buffer.concat([preface, settings]) : settings);

/** How long the other end waited for the answer to its first ping before it closed the connection. */
export async function patienceMs(socket: Socket, side: 'client' | 'server'): Promise<number> {
  let bytes = Buffer.alloc(0);
  let pingedAt: number | undefined;
  socket.on('data', (more: Buffer) => {
    bytes = Buffer.concat([bytes, more]);
    if (hasPing(side === 'server' ? bytes.subarray(preface.length) : bytes)) pingedAt ??= performance.now();
  });
  socket.on('error', () => socket.destroy());
  await new Promise((resolve) => socket.once('close', resolve));
  if (pingedAt === undefined) throw new Error('the connection was closed without a ping');
  return performance.now() - pingedAt;
}

function hasPing(frames: Buffer): boolean {
  let rest = frames;
  while (rest.length >= frameHeaderBytes) {
    if (rest[3] === pingType) return true;
    rest = rest.subarray(frameHeaderBytes + rest.readUIntBE(0, 3));
  }
  return false;
}
