import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { kinds } from '../../../src/gateway-api/index.ts';
import { prune } from '../../../src/kube/index.ts';
import { dataPlane, dataPlaneRef, endpointSlice, gateway, gatewayClass, service } from '../../support/objects.ts';
import { Pipeline } from '../../support/pipeline.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const routes = 6_000;
/**
 * From the object as reported, without status, to what a proxy was sent: 3,720 when this was last changed, 6,330 before keys, lists and
 * equal parts were held as `src/std/memory` says. What the collector leaves comes to 200 more or less.
 */
const limit = 4_200;

const inUse = (): number => {
  collect();
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
};

/** As a watch reports it. */
const reported = (index: number): string =>
  JSON.stringify({
    metadata: {
      name: `route-${index}`,
      namespace: 'default',
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: String(100_000 + index),
      generation: 1,
      creationTimestamp: new Date(1_700_000_000_000 + index * 1_000).toISOString(),
    },
    spec: {
      parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
      hostnames: [`host-${index}.example.com`],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/' } }],
          backendRefs: [{ group: '', kind: 'Service', name: 'web', port: 80, weight: 1 }],
        },
      ],
    },
  });

test('bytes of memory for a route on a host of its own', (t) => {
  const pipeline = new Pipeline('default/edge');
  const put = (from: number, to: number) => {
    for (let index = from; index < to; index += 10)
      pipeline.put(
        ...Array.from({ length: 10 }, (_, at) => prune(kinds.HTTPRoute, JSON.parse(reported(index + at))) as never),
      );
  };
  pipeline.put(
    gatewayClass(),
    gateway('edge', [{}], { infrastructure: { parametersRef: dataPlaneRef('edge') } }),
    dataPlane('edge'),
    service('web'),
    endpointSlice('web', ['10.0.0.1']),
  );
  // What is loaded and compiled with the first ones is no route's.
  put(0, 500);
  const before = inUse();
  put(500, 500 + routes);
  const each = Math.round((inUse() - before) / routes);
  t.log(`${each} bytes`);
  t.true(each < limit, `${each} bytes`);
});
