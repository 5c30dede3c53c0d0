import test from 'ava';
import { strangers } from '../support/moving-demands.ts';
import { routeObject, startStandalone, untilCurrent } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/**
 * A file is replaced in which a route has another kind, and its policy names that kind. The route of the former kind goes after a grace time,
 * so the policy must not leave it earlier.
 */

const host = 'app.test';
const rules = [{ backendRefs: [{ name: 'web', port: 80 }] }];
const kindNames = ['HTTPRoute', 'GRPCRoute'] as const;

const fileOf = (kind: (typeof kindNames)[number]): object[] => [
  { ...routeObject('app', host, rules), kind },
  {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name: 'app' },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: 'app' }],
      apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-key' }] },
    },
  },
];

test('a policy that follows its route to another kind never leaves the former route open', async (t) => {
  const standalone = await startStandalone();
  t.teardown(() => standalone.stop());
  const { port, control } = standalone;
  standalone.write('backends.yaml', ...(await standalone.backend('web')), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'keys', labels: { 'gatewright.dev/credentials': 'true' } },
    stringData: { ann: 'key-1' },
  });
  standalone.write('app.yaml', ...fileOf('HTTPRoute'));
  await until('the guard to hold', async () => (await standalone.get(`${host}:${port}`)).status === 401);

  const stop = strangers(port, host, 4);
  const changes = 10;
  for (let count = 1; count <= changes; count += 1) {
    const [former, next] = count % 2 === 1 ? kindNames : kindNames.toReversed();
    standalone.write('app.yaml', ...fileOf(next!));
    const isRead = () => {
      const has = (kind: (typeof kindNames)[number]) => control.graph.find(kind, 'default/app') !== undefined;
      return has(next!) && !has(former!);
    };
    await until('the route to have its new kind', isRead);
    await untilCurrent(standalone);
  }
  const seen = await stop();
  t.log(Object.fromEntries(seen));
  // No plain request matches a GRPCRoute.
  t.deepEqual([...seen.keys()].sort(), ['401', '404']);
});
