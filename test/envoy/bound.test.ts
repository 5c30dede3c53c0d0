import { connect } from 'node:net';
import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { gatewayClass, gateway as gatewayObject } from '../support/objects.ts';
import { startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const connects = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('connect', () => socket.destroy());
    socket.once('error', () => resolve(false));
  });

test('a proxy says that it has applied a listener when its port is open', async (t) => {
  t.timeout(600_000);
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  gateway.write('web.yaml', ...(await gateway.backend('web')));
  const { control } = gateway;
  const outcomes: boolean[] = [];
  const listeners: { name: string; port: number; protocol: string }[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    const port = await freePort();
    listeners.push({ name: `l${turn}`, port, protocol: 'HTTP' });
    const before = control.graph.snapshot()?.id;
    let look: Promise<boolean> | undefined;
    const stop = control.xds.onNode((event) => {
      const id = control.graph.snapshot()?.id;
      if (event.kind === 'applied' && event.node.gateway === 'default/more' && id !== before && event.snapshot === id)
        look ??= connects(port);
    });
    gateway.write('more.yaml', gatewayClass(), gatewayObject('more', listeners as never));
    outcomes.push(
      await until('it to be applied', async () => (await look) !== undefined && { is: await look! }).then(
        ({ is }) => is,
      ),
    );
    stop();
  }
  t.log(outcomes.join(' '));
  t.deepEqual(
    outcomes,
    outcomes.map(() => true),
  );
});
