import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { DataPlaneAgent } from '../../src/agent/index.ts';
import { ClusterLoadAssignmentSchema, type LbEndpointSchema, typeUrls } from '../../src/envoy/index.ts';
import { encodedResource } from '../../src/translate/resource/resource.ts';
import { cluster, httpListener, routes } from '../support/agent-resources.ts';
import {
  eventually,
  record,
  startAgent,
  startBackend,
  startControlPlane,
  untilReady,
  untilServes,
} from '../support/agent-world.ts';

const name = 'shop/wide/80';

const endpointOf = (address: string, portValue: number): MessageInitShape<typeof LbEndpointSchema> => {
  const portSpecifier = { case: 'portValue' as const, value: portValue };
  const value = { address: { address: { case: 'socketAddress' as const, value: { address, portSpecifier } } } };
  return { hostIdentifier: { case: 'endpoint', value } };
};

/** One endpoint that serves, and `count` that are only asked when it does not: nothing is there. */
function wide(port: number, count: number) {
  const others = Array.from({ length: count }, (_, at) => endpointOf(`10.9.${at >> 8}.${at & 255}`, 8080));
  const assignment = create(ClusterLoadAssignmentSchema, {
    clusterName: name,
    endpoints: [{ lbEndpoints: [endpointOf('127.0.0.1', port)] }, { priority: 1, lbEndpoints: others }],
  });
  return encodedResource(typeUrls.endpoint, name, toBinary(ClusterLoadAssignmentSchema, assignment));
}

/** How many endpoints Envoy has. */
const countOf = async (agent: DataPlaneAgent): Promise<number | undefined> =>
  (await record(agent, 'stats/backends'))[0]?.endpoints.length;

test('of two thousand endpoints a proxy is sent what changes, and Envoy has them all', async (t) => {
  const [one, two] = [await startBackend(t, 'one'), await startBackend(t, 'two')];
  const [controlPlane, port] = [await startControlPlane(t), await freePort()];
  const listener = httpListener(port);
  const publish = (id: string, backend: number, count: number) =>
    controlPlane.publish(id, [listener, routes(listener.name, name), cluster(name), wide(backend, count)]);

  publish('s1', one.port, 2000);
  const agent = await startAgent(t, controlPlane.address);
  await untilReady(agent);
  await untilServes(port, 'one');
  t.true(controlPlane.bytesSent > 30_000, `${controlPlane.bytesSent} bytes`);
  t.is(await countOf(agent), 2001);

  for (const [count, backend, text] of [
    [2001, two, 'two'],
    [1999, one, 'one'],
  ] as const) {
    const before = controlPlane.bytesSent;
    publish(`s${count}`, backend.port, count);
    await eventually('Envoy to have them', async () => (await countOf(agent)) === count + 1);
    await untilServes(port, text);
    t.true(controlPlane.bytesSent - before < 2000, `${controlPlane.bytesSent - before} bytes`);
  }

  await controlPlane.stop();
  await controlPlane.start();
  await eventually('the agent to be back', () => controlPlane.server.nodes.find('node-1')?.lastAckVersion === 's1999');
  publish('back', two.port, 2002);
  await eventually('Envoy to have them', async () => (await countOf(agent)) === 2003);
  await untilServes(port, 'two');
  t.true(controlPlane.bytesSent < 5000, `${controlPlane.bytesSent} bytes since the start`);
});
