import test from 'ava';
import { conditionReasons } from '../../src/gateway-api/index.ts';
import { runCommand } from '../support/command.ts';
import { gatewayObjects, isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/** Where requests wait at all levels of a port, the running program says that one more such demand has no place. */

const group = 'gateway.networking.k8s.io';
const policy = (name: string, target: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: {
    targetRefs: [{ group, ...target }],
    forwardAuth: { backendRef: { name: 'auth', port: 80 }, http: { path: '/verify' } },
  },
});
const atGateway = policy('gateway', { kind: 'Gateway', name: 'edge' });
const atSet = policy('set', { kind: 'ListenerSet', name: 'more' });
const atListener = policy('listener', { kind: 'Gateway', name: 'edge', sectionName: 'http' });

interface Problem {
  readonly code: string;
  readonly severity: string;
  readonly next: string;
  readonly object: { readonly name: string };
}

interface Entry {
  readonly policy: { readonly name: string };
  readonly level: string;
  readonly state: string;
  readonly reasons: readonly string[];
}

test('policies whose parts fill all places of a port are in force, and say so until one goes', async (t) => {
  t.timeout(600_000);
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const { layout1 } = gateway.control.ports;
  const [gatewayClass, edge] = gatewayObjects(gateway.port) as [object, { readonly spec: object }];
  gateway.write(
    'gateway.yaml',
    gatewayClass,
    { ...edge, spec: { ...edge.spec, allowedListeners: { namespaces: { from: 'Same' } } } },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'ListenerSet',
      metadata: { name: 'more' },
      spec: {
        parentRef: { name: 'edge' },
        listeners: [{ name: 'own', port: gateway.port, protocol: 'HTTP', hostname: 'more.test' }],
      },
    },
  );
  gateway.write(
    'web.yaml',
    ...(await gateway.backend('web')),
    ...(await gateway.backend('auth')),
    routeObject('shop', 'shop.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
  );
  gateway.write('policies.yaml', atGateway, atSet, atListener);
  await until(
    'the route to be served',
    async () => (await isCurrent(gateway)) && (await gateway.get('shop.test')).status === 200,
  );

  const entries = async () => (await gateway.json(layout1, '/v1/access')).body as readonly Entry[];
  const full = await untilFits(
    'the policies to say it',
    entries,
    (items) =>
      items.length >= 3 && items.every(({ reasons }) => reasons.some((reason) => reason.startsWith('NoRoomToMove'))),
  );
  t.deepEqual([...new Set(full.map(({ state }) => state))], ['inForce']);
  const env = { GATEWRIGHT_SERVER: `http://127.0.0.1:${layout1}` };
  const { stdout } = await runCommand(['describe', 'accesspolicy', 'default/set'], env);
  t.regex(stdout, /Accepted=True, NoRoomToMove: .* at port \d+ all have forwardAuth/);
  t.regex(stdout, /forwardAuth of listenerSet, default\/set: in force, NoRoomToMove: /);
  const status = await runCommand(['status'], env);
  t.is(status.code, 1, 'a warning is something to look at');
  t.regex(status.stdout, /AccessPolicy default\/set\b.* all have forwardAuth, for which requests wait/s);
  t.regex(status.stdout, /Remove forwardAuth from one of these three levels before you move it/, 'the next step');
  const { body } = await gateway.json(layout1, '/v1/problems?area=object');
  t.deepEqual(
    (body as { items: readonly Problem[] }).items
      .map(({ code, severity, object }) => [code, severity, object.name])
      .sort(),
    ['gateway', 'listener', 'set'].map((name) => ['object_degraded', 'warning', name]),
  );
  for (const { next } of (body as { items: readonly Problem[] }).items)
    t.is(next, conditionReasons.NoRoomToMove?.remedy ?? 'none', 'the next step');

  gateway.write('policies.yaml', atGateway, atListener);
  await untilFits(
    'the others to have room',
    entries,
    (items) => items.length === 2 && items.every(({ reasons }) => reasons.length === 0),
  );
  t.is((await gateway.get('shop.test')).status, 200);
  t.notRegex((await runCommand(['status'], env)).stdout, /NoRoomToMove|forwardAuth/);
});
