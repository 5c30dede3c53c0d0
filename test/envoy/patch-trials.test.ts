import test, { type ExecutionContext } from 'ava';
import type { Condition, PolicyStatus } from '../../src/gateway-api/index.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/* What is tried by an Envoy that serves nothing, before the one that serves gets it. */

const patch = (name: string, targetRefs: object[], parts: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'EnvoyPatch',
  metadata: { name },
  spec: { targetRefs, ...parts },
});

const service = [{ group: '', kind: 'Service', name: 'web' }];
const route = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'web' }];
const edge = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }];

async function startTried(t: ExecutionContext, first: readonly object[] = []) {
  const backend = await startBackend(t, (_, response) => response.end('ok'));
  const world = await startStandalone(
    {
      'web.yaml': serviceObjects('web', [backend.port]),
      'routes.yaml': [routeObject('web', 'a.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
      'patch.yaml': [...first],
    },
    { config: { envoyPatches: { enabled: true } } },
  );
  t.teardown(world.stop);
  await untilFits('all of it to be applied', () => isCurrent(world), Boolean);
  const conditions = (): readonly Condition[] => {
    const status = world.control.graph.statusOf('EnvoyPatch', 'default/own') as PolicyStatus | undefined;
    return status?.ancestors[0]?.conditions ?? [];
  };
  const accepted = () => conditions().find(({ type }) => type === 'Accepted');
  const nacks = () => world.control.xds.nodes.list().filter(({ lastNackType }) => lastNackType !== undefined);
  const ask = () => send(world.port, { host: 'a.test' });
  return { ...world, conditions, accepted, nacks, ask };
}

const bad: readonly (readonly [string, object, RegExp])[] = [
  [
    'a backend',
    patch('own', service, { cluster: { outlier_detection: { base_ejection_time: '10s', max_ejection_time: '1s' } } }),
    /max_ejection_time cannot be smaller than base_ejection_time/,
  ],
  [
    'a route',
    patch('own', route, {
      routeAction: { retry_policy: { retry_back_off: { base_interval: '2s', max_interval: '1s' } } },
    }),
    /max_interval must greater than or equal to the base_interval/,
  ],
  [
    'a Gateway',
    patch('own', edge, { connectionManager: { http_protocol_options: { header_key_format: {} } } }),
    /HeaderKeyFormat|HeaderFormat/i,
  ],
];

for (const [what, content, words] of bad)
  test(`what an Envoy apart rejects of a patch of ${what} reaches no Envoy that serves`, async (t) => {
    const { accepted, nacks, write, ask, control } = await startTried(t);
    write('patch.yaml', content);
    const said = await untilFits('the patch to say it', accepted, (condition) => condition?.status === 'False');
    t.regex(said?.message ?? '', words);
    t.deepEqual(nacks(), []);
    t.is((await ask()).status, 200);
    const [node] = control.xds.nodes.list();
    t.deepEqual(
      node?.refusals.map(({ kind }) => kind),
      ['patch'],
    );
  });

test('patches that an Envoy apart takes are served, and nothing is left to say', async (t) => {
  const { accepted, conditions, nacks, control } = await startTried(t, [
    patch('backend', service, { cluster: { connect_timeout: '3s' } }),
    patch('route', route, { routeAction: { idle_timeout: '3s' } }),
    patch('own', edge, { connectionManager: { via: 'edge' }, listener: { tcp_backlog_size: 64 } }),
  ]);
  await untilFits('the patch to be in force', accepted, (condition) => condition?.status === 'True');
  await untilFits('the trial to be over', conditions, (all) => all.every(({ type }) => type !== 'Validated'));
  t.deepEqual(nacks(), []);
  t.deepEqual(
    control.xds.nodes.list().flatMap(({ trials }) => trials),
    [],
  );
});
