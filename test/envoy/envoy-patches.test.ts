import type { IncomingMessage } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import type { PolicyStatus } from '../../src/gateway-api/index.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** EnvoyPatches of a running program, with a real Envoy. */

const patch = (name: string, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'EnvoyPatch',
  metadata: { name },
  spec: { targetRefs: [{ group: '', kind: 'Service', name: 'web' }], ...spec },
});

const properCase = {
  httpProtocolOptions: {
    explicit_http_config: { http_protocol_options: { header_key_format: { proper_case_words: {} } } },
  },
};

async function startPatched(t: ExecutionContext, enabled: boolean) {
  const names: string[][] = [];
  const backend = await startBackend(t, ({ rawHeaders }: IncomingMessage, response) => {
    names.push(rawHeaders.filter((_, index) => index % 2 === 0));
    response.end('ok');
  });
  const rules = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const world = await startStandalone(
    {
      'web.yaml': serviceObjects('web', [backend.port]),
      'routes.yaml': [routeObject('exact', 'a.test', rules), routeObject('late', '*.w.test', rules)],
      'patch.yaml': [patch('own', properCase)],
    },
    { config: { envoyPatches: { enabled } } },
  );
  t.teardown(world.stop);
  const ask = (host: string) => send(world.port, { host, headers: { 'x-some-name': '1' } });
  const spelt = async (host: string) => {
    names.length = 0;
    const { status } = await ask(host);
    return status === 200 ? names[0]?.find((name) => name.toLowerCase() === 'x-some-name') : status;
  };
  const current = () => untilFits('all of it to be applied', () => isCurrent(world), Boolean);
  const accepted = () => {
    const status = world.control.graph.statusOf('EnvoyPatch', 'default/own') as PolicyStatus | undefined;
    return status?.ancestors[0]?.conditions.find(({ type }) => type === 'Accepted');
  };
  return { ...world, ask, spelt, current, accepted };
}

test('a patch changes what requests are like that a backend gets, and its removal changes it back', async (t) => {
  const { spelt, remove, accepted, current, json, control } = await startPatched(t, true);
  await current();
  for (const host of ['a.test', 'x.w.test'])
    await untilFits(
      'a name in proper case',
      () => spelt(host),
      (name) => name === 'X-Some-Name',
    );
  t.is(accepted()?.message, 'patches httpProtocolOptions.explicit_http_config of default/web/80');
  const backends = async () =>
    (await json(control.ports.layout1, '/v1/backends')).body as { readonly patchedBy: object }[];
  t.deepEqual((await backends())[0]?.patchedBy, { kind: 'EnvoyPatch', namespace: 'default', name: 'own' });
  remove('patch.yaml');
  await untilFits(
    'a name as before',
    () => spelt('a.test'),
    (name) => name === 'x-some-name',
  );
});

thorough(test)(
  'a patch that Envoy rejects is left out alone and says so, while the backend and its changes go on',
  async (t) => {
    const { spelt, write, accepted, json, control } = await startPatched(t, true);
    await untilFits(
      'a name in proper case',
      () => spelt('a.test'),
      (name) => name === 'X-Some-Name',
    );
    // Only Envoy knows that both together are wrong.
    const outlier = { outlier_detection: { base_ejection_time: '10s', max_ejection_time: '1s' } };
    write('patch.yaml', patch('own', { ...properCase, cluster: outlier }));
    const said = await untilFits('the patch to say it', accepted, (condition) => condition?.status === 'False');
    t.is(said?.reason, 'Invalid');
    t.regex(
      said?.message ?? '',
      /^the patch of backend default\/web\/80 is rejected by the proxy, so it is left out until it is changed: /,
    );
    await untilFits(
      'the cluster without it',
      () => spelt('a.test'),
      (name) => name === 'x-some-name',
    );
    const { body } = await json(control.ports.layout1, '/v1/problems');
    t.regex(JSON.stringify(body), /EnvoyPatch/);
    write('patch.yaml', patch('own', { ...properCase, cluster: { connect_timeout: '3s' } }));
    await untilFits('the patch to be well', accepted, (condition) => condition?.status === 'True');
    await untilFits(
      'a name in proper case',
      () => spelt('a.test'),
      (name) => name === 'X-Some-Name',
    );
  },
);

test('EnvoyPatches are not read unless they are enabled', async (t) => {
  const { spelt, accepted, current, log } = await startPatched(t, false);
  await current();
  t.is(await spelt('a.test'), 'x-some-name');
  t.is(accepted(), undefined);
  await untilFits(
    'a word in the log',
    () => JSON.stringify(log),
    (text) => text.includes('EnvoyPatch is not read and is ignored: set envoyPatches.enabled'),
  );
});

const gatewayGroup = 'gateway.networking.k8s.io';

thorough(test)(
  'a patch of a route or a rule changes how its requests are forwarded, and one of the Gateway its ports',
  async (t) => {
    const slow = await startBackend(t, (_, response) => void setTimeout(() => response.end('ok'), 300));
    const rules = [
      { name: 'cart', matches: [{ path: { value: '/cart' } }], backendRefs: [{ name: 'slow', port: 80 }] },
      { backendRefs: [{ name: 'slow', port: 80 }] },
    ];
    const patches = {
      rule: patch('rule', {
        targetRefs: [{ group: gatewayGroup, kind: 'HTTPRoute', name: 'slow', sectionName: 'cart' }],
        routeAction: { timeout: '0.05s' },
      }),
      ports: patch('ports', {
        targetRefs: [{ group: gatewayGroup, kind: 'Gateway', name: 'edge' }],
        listener: { tcp_backlog_size: 64 },
        connectionManager: { via: 'edge', max_request_headers_kb: 1 },
      }),
    };
    const world = await startStandalone(
      {
        'slow.yaml': serviceObjects('slow', [slow.port]),
        'routes.yaml': [routeObject('slow', 'a.test', rules)],
        'rule.yaml': [patches.rule],
        'ports.yaml': [patches.ports],
      },
      { config: { envoyPatches: { enabled: true } } },
    );
    t.teardown(world.stop);
    const ask = (path: string, headers = {}) => send(world.port, { host: 'a.test', path, headers });
    await untilFits(
      'the rule in time',
      () => ask('/cart'),
      ({ status }) => status === 504,
    );
    await untilFits(
      'what the port writes',
      () => ask('/'),
      ({ status, headers }) => status === 200 && headers.via === 'edge',
    );
    t.is((await ask('/', { 'x-long': 'a'.repeat(2000) })).status, 431);
    const statusOf = () => {
      const status = world.control.graph.statusOf('EnvoyPatch', 'default/rule') as PolicyStatus | undefined;
      return status?.ancestors[0]?.conditions.find(({ type }) => type === 'Accepted')?.message ?? '';
    };
    t.is(statusOf(), 'patches routeAction.timeout of rule cart of HTTPRoute default/slow');
    const { body } = await world.json(
      world.control.ports.layout1,
      '/v1/traffic-policies?target=HTTPRoute/default/slow',
    );
    const shown = (body as { policy: { name: string }; group: string; state: string }[]).map(
      ({ policy, group, state }) => `${policy.name} ${group} ${state}`,
    );
    t.true(
      ['rule routeAction inForce', 'ports connectionManager inForce'].every((text) => shown.includes(text)),
      shown.join(),
    );
    // Only Envoy knows that both together are wrong.
    const times = { retry_policy: { retry_back_off: { base_interval: '2s', max_interval: '1s' } } };
    world.write('rule.yaml', patch('rule', { targetRefs: patches.rule.spec.targetRefs, routeAction: times }));
    await untilFits('the patch to say it', statusOf, (text) => text.includes('rejected'));
    t.regex(statusOf(), /^the patch of rule cart of HTTPRoute default\/slow is rejected by the proxy, /);
    await untilFits(
      'the rule without it',
      () => ask('/cart'),
      ({ status }) => status === 200,
    );
    world.remove('rule.yaml');
    world.remove('ports.yaml');
    await untilFits(
      'the rule as before',
      () => ask('/cart'),
      ({ status }) => status === 200,
    );
    await untilFits(
      'the port as before',
      () => ask('/', { 'x-long': 'a'.repeat(2000) }),
      ({ status }) => status === 200,
    );
  },
);
