import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { gateway, gatewayClass } from '../support/objects.ts';
import { TwoProcesses } from '../support/two-processes.ts';
import { until, untilFits } from '../support/until.ts';

interface Node {
  readonly nodeId: string;
  readonly ready: boolean;
  readonly lost: boolean;
}

test('a data plane that is stopped is nowhere any more, and one that is killed is lost', async (t) => {
  t.timeout(600_000);
  const world = await TwoProcesses.start(t, {
    files: { 'edge.yaml': [gatewayClass(), gateway('edge', [{ port: await freePort() }])] },
    controlPlane: {},
    dataPlane: {},
  });
  const nodes = (what: string, fits: (all: readonly Node[]) => boolean) =>
    untilFits(what, () => world.json<readonly Node[]>('/v1/nodes'), fits);
  const stopped = await world.startDataPlane(t, 'stopped');
  await nodes('the data plane', ([node]) => node?.ready === true);
  stopped.kill('SIGTERM');
  await stopped.ended;
  // It said so before it ended, and one that is lost is listed for ten minutes.
  await nodes('no data plane', (all) => all.length === 0);

  const killed = await world.startDataPlane(t, 'killed');
  await nodes('the data plane', ([node]) => node?.ready === true);
  killed.kill('SIGKILL');
  await killed.ended;
  const [lost] = await nodes('its loss', ([node]) => node?.lost === true);
  t.like(lost, { nodeId: 'killed', lost: true, ready: false });
  const { items } = await world.json<{ items: readonly { code: string; message: string }[] }>('/v1/problems');
  t.is(items.find(({ code }) => code === 'node_lost')?.message.split(' at ')[0], 'lost: its stream ended');

  await world.startDataPlane(t, 'killed');
  await nodes('its return', ([node]) => node?.ready === true && !node.lost);
  await until('nothing to be wrong', async () => {
    const { items: left } = await world.json<{ items: readonly { code: string }[] }>('/v1/problems');
    return left.every(({ code }) => !code.startsWith('node_'));
  });
});
