import test from 'ava';
import { PickSums } from '../../../src/agent/traffic/pick-sums.ts';
import { type PickRow, trafficLimits } from '../../../src/contracts/index.ts';
import { kindModules } from '../../../src/controllers/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import { answerOf, TrafficStore } from '../../../src/traffic/index.ts';
import {
  controllerName,
  dataPlane,
  dataPlaneRef,
  gateway,
  gatewayClass,
  httpRoute,
  inferencePool,
  service,
} from '../../support/objects.ts';
import { counted, trafficReport } from '../../support/traffic.ts';
import { put, someTime } from '../../support/world.ts';

const bind = (_: unknown, port: number) => ({ address: '127.0.0.1', port });
const pool = 'default/llama/8000/pool';
const picks: readonly PickRow[] = [[pool, 'picked', '10.0.0.1:8000', 3]];

/** Requests to pools that are kept of what a proxy of Gateway `edge` reports. */
function keptWith(traffic: 'On' | 'Off'): number {
  const graph = new Graph({ controllerName, kinds: kindModules, bind });
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{}], { infrastructure: { parametersRef: dataPlaneRef('edge') } }),
    dataPlane('edge', { traffic }),
    service('picker'),
    inferencePool('llama', {
      selector: { matchLabels: { app: 'llama' } },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: { name: 'picker', port: { number: 80 } },
    }),
    httpRoute('models', {
      parentRefs: [{ name: 'edge' }],
      rules: [{ backendRefs: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'llama' }] }],
    }),
  );
  graph.build(someTime);
  const now = 1_800_000_000_000;
  const store = new TrafficStore({ graph, now: () => now });
  const cluster = 'default/edge';
  store.take({ nodeId: 'n1', cluster }, trafficReport({ cluster, now, counted: { ...counted([], now), picks } }));
  const steps = answerOf(store, { windowMs: 60_000, now, of: 'picks', groupOf: ({ backend }) => backend });
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value.groups.get(pool)?.sums.requests ?? 0;
}

test('picks are kept, unless a DataPlane switches counting off', (t) => {
  t.is(keptWith('On'), 3);
  t.is(keptWith('Off'), 0);
});

test('an agent names the busiest servers, and counts the rest without names', (t) => {
  const sums = new PickSums();
  const endpoints = trafficLimits.picks + 500;
  for (let at = 0; at < endpoints; at += 1)
    sums.add({ pool, outcome: at % 2 === 0 ? 'picked' : 'any', endpoint: `10.0.0.1:${at}` }, at + 1);
  const rows = sums.drain();
  t.true(rows.length <= trafficLimits.picks);
  t.true(rows.some(([, , endpoint]) => endpoint === `10.0.0.1:${endpoints - 1}`));
  t.is(
    rows.reduce((sum, [, , , requests]) => sum + requests, 0),
    (endpoints * (endpoints + 1)) / 2,
  );
  t.deepEqual(rows.flatMap(([, outcome, endpoint]) => (endpoint === '' ? [outcome] : [])).sort(), ['any', 'picked']);
  t.deepEqual(sums.drain(), []);
});
