import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { cluster, endpoints } from '../support/agent-resources.ts';
import { eventually, record, servingWorld } from '../support/agent-world.ts';

async function open(t: ExecutionContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** The first words of the answer on a connection; empty when it is closed without any. */
const answerOn = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1').split('\r\n')[0] as string));
    socket.once('close', () => resolve(''));
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  });

test('connections above what a proxy takes are closed, and those that are there are served', async (t) => {
  const { port } = await servingWorld(t, { maxConnections: 3 });
  // What asked until it served may still be counted.
  const there = await eventually('three connections', async () => {
    const sockets = [await open(t, port), await open(t, port), await open(t, port)];
    const answers = await Promise.all(sockets.map(answerOn));
    if (answers.every((answer) => answer === 'HTTP/1.1 200 OK')) return sockets;
    for (const socket of sockets) socket.destroy();
    return false;
  });
  t.is(await answerOn(await open(t, port)), '');
  t.is(await answerOn(there[0] as Socket), 'HTTP/1.1 200 OK');
  for (const socket of there) socket.destroy();
  await eventually('a connection', async () => (await answerOn(await open(t, port))) === 'HTTP/1.1 200 OK');
});

test('an Envoy that is short of memory takes nothing on, stays, and can be asked how it is', async (t) => {
  // No Envoy has been this small.
  const { agent, controlPlane, port, resources } = await servingWorld(t, { maxHeapBytes: 1024 * 1024 });
  const pid = agent.envoyPid;
  await eventually('connections to be closed', async () => (await answerOn(await open(t, port))) === '');
  const stats = async () => (await record(agent, 'stats?filter=overload.*fixed_heap.pressure')).envoy;
  t.deepEqual(
    Object.values(await stats()).map((percent) => Number(percent) >= 95),
    [true],
  );
  // Configuration goes on.
  controlPlane.publish('s2', [...resources, cluster('d'), endpoints('d', port)]);
  await eventually('s2 to be applied', async () => (await record(agent, 'status')).config_version === 's2');
  t.is(agent.envoyPid, pid);
  t.like((await record(agent, 'status')).envoy, { state: 'LIVE', restarts: 0 });
});
