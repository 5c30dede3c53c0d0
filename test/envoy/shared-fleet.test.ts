import { request as tlsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { type Authority, createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { isCurrent, type Standalone, startStandalone, untilCurrent } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

const api = 'gateway.networking.k8s.io/v1';
const fleet = 'gatewright-system/class:gatewright';

const parameters = (shared: boolean): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'DataPlane',
  metadata: { name: 'pool', namespace: 'default' },
  spec: { ...(shared && { shared: {} }), drainTime: '1s', minDrainTime: '0s' },
});
const gatewayClass: object = {
  apiVersion: api,
  kind: 'GatewayClass',
  metadata: { name: 'gatewright' },
  spec: {
    controllerName: 'gatewright.dev/gateway-controller',
    parametersRef: { group: 'gatewright.dev', kind: 'DataPlane', namespace: 'default', name: 'pool' },
  },
};

/** `created` decides who is older. */
const gateway = (name: string, created: string, listeners: readonly object[], more: object = {}): object => ({
  apiVersion: api,
  kind: 'Gateway',
  metadata: { name, creationTimestamp: created },
  spec: { gatewayClassName: 'gatewright', ...more, listeners },
});
const http = (port: number, hostname: string) => ({ name: 'web', port, protocol: 'HTTP', hostname });
const https = (port: number, hostname: string) => ({
  name: 'secure',
  port,
  protocol: 'HTTPS',
  hostname,
  tls: { certificateRefs: [{ name: hostname }] },
});
const route = (gatewayName: string, hostnames: readonly string[] = []): object => ({
  apiVersion: api,
  kind: 'HTTPRoute',
  metadata: { name: `of-${gatewayName}` },
  spec: { parentRefs: [{ name: gatewayName }], hostnames, rules: [{ backendRefs: [{ name: gatewayName, port: 80 }] }] },
});
const secretFor = async (authority: Authority, hostname: string): Promise<object> => {
  const { certificatePem, keyPem } = await authority.issue({ hostnames: [hostname] });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: hostname },
    stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
  };
};

const conditionOf = ({ control: { graph } }: Standalone, name: string, listener: string, type: string) => {
  const status = graph.statusOf('Gateway', `default/${name}`);
  if (status?.kind !== 'Gateway') return undefined;
  return status.listeners.find((each) => each.name === listener)?.conditions.find((each) => each.type === type);
};

interface World {
  readonly standalone: Standalone;
  readonly ports: { readonly http: number; readonly https: number };
  /** Who answers by HTTP, or the status of an answer without a backend. */
  readonly plain: (host: string) => Promise<string>;
  /** The same by HTTPS, or `refused` when there is no connection. */
  readonly secure: (serverName: string, host?: string) => Promise<string>;
}

/** Two Gateways, each with HTTP and HTTPS on ports that they share, and a backend that says its name. */
async function world(t: ExecutionContext, shared = true): Promise<World> {
  const authority = await createAuthority('ours');
  const ports = { http: await freePort(), https: await freePort() };
  const names = ['a', 'b', 'c'];
  const backends = await Promise.all(names.map((name) => startBackend(t, (_, response) => response.end(name))));
  const standalone = await startStandalone({
    'gateway.yaml': [gatewayClass, parameters(shared)],
    'backends.yaml': names.flatMap((name, index) => serviceObjects(name, [backends[index]?.port as number])),
    'secrets.yaml': await Promise.all(['a.test', 'b.test', 'c.test'].map((host) => secretFor(authority, host))),
    'a.yaml': [
      gateway('a', '2026-01-01T00:00:00Z', [http(ports.http, 'a.test'), https(ports.https, 'a.test')]),
      route('a', ['a.test', 'b.test']),
    ],
    'b.yaml': [
      gateway('b', '2026-01-02T00:00:00Z', [http(ports.http, 'b.test'), https(ports.https, 'b.test')]),
      route('b'),
    ],
  });
  t.teardown(() => standalone.stop());
  return {
    standalone,
    ports,
    async plain(host) {
      const { status, body } = await send(ports.http, { host });
      return status === 200 ? body : String(status);
    },
    secure: (serverName, host = serverName) => askTls(ports.https, { serverName, host, ca: authority.certificatePem }),
  };
}

const askTls = (port: number, { serverName, host, ca }: { serverName: string; host: string; ca: string }) =>
  new Promise<string>((resolve) => {
    const options = { host: '127.0.0.1', port, servername: serverName, ca, headers: { host }, agent: false as const };
    const sent = tlsRequest(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.once('end', () => resolve(response.statusCode === 200 ? body : String(response.statusCode)));
    });
    sent.once('error', () => resolve('refused')).end();
  });

const serves = (what: () => Promise<string>, answer: string) => untilFits(answer, what, (got) => got === answer);

test('two Gateways are one Envoy: by Host and by SNI each has its own routes', async (t) => {
  const { standalone, plain, secure } = await world(t);
  await serves(() => plain('b.test'), 'b');
  await serves(() => secure('b.test'), 'b');
  t.is(await plain('a.test'), 'a');
  t.is(await secure('a.test'), 'a');
  // Routes of one Gateway do not answer on listeners of the other.
  t.is(await plain('c.test'), '404');
  t.is(await secure('a.test', 'b.test'), '421');
  t.is(await secure('c.test'), 'refused');
  const { graph, xds } = standalone.control;
  t.deepEqual(
    xds.nodes.list().map((node) => node.gateway),
    [fleet],
  );
  for (const name of ['a', 'b']) {
    const programmed = await untilFits(
      `Gateway ${name} to be programmed`,
      () => {
        const status = graph.statusOf('Gateway', `default/${name}`);
        return status?.kind === 'Gateway' ? status : undefined;
      },
      (status) => status?.conditions.find(({ type }) => type === 'Programmed')?.status === 'True',
    );
    t.deepEqual(programmed?.addresses, [{ type: 'IPAddress', value: '127.0.0.1' }]);
  }
});

const accessPolicy = (name: string, target: object, parts: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], ...parts },
});
const noClient = { clientIPs: { deny: ['127.0.0.0/8'] } };

thorough(test)(
  'policies of one Gateway, of one listener and of one ListenerSet guard their own requests on proxies that others share',
  async (t) => {
    const { standalone, ports, plain, secure } = await world(t);
    await serves(() => plain('b.test'), 'b');
    await serves(() => secure('b.test'), 'b');
    standalone.write('policy.yaml', accessPolicy('a', { kind: 'Gateway', name: 'a' }, noClient));
    await serves(() => plain('a.test'), '403');
    await serves(() => secure('a.test'), '403');
    // By all of the proxy's threads.
    await untilCurrent(standalone);
    t.is(await plain('A.test:80'), '403');
    t.is(await plain('b.test'), 'b');
    t.is(await secure('b.test'), 'b');
    t.is(await secure('a.test', 'b.test'), '421', 'who is in the wrong place gets to know it');
    t.is(await secure('a.test', 'unknown.test'), '403', 'and who asks for nothing that is there must come in first');
    standalone.write('policy.yaml', accessPolicy('a', { kind: 'Gateway', name: 'a', sectionName: 'web' }, noClient));
    await serves(() => secure('a.test'), 'a');
    t.is(await plain('a.test'), '403');
    standalone.write(
      'b.yaml',
      gateway('b', '2026-01-02T00:00:00Z', [http(ports.http, 'b.test'), https(ports.https, 'b.test')], {
        allowedListeners: { namespaces: { from: 'Same' } },
      }),
      {
        apiVersion: api,
        kind: 'ListenerSet',
        metadata: { name: 'more' },
        spec: { parentRef: { name: 'b' }, listeners: [http(ports.http, '*.more.test')] },
      },
      route('b'),
      {
        apiVersion: api,
        kind: 'HTTPRoute',
        metadata: { name: 'more' },
        spec: {
          parentRefs: [{ kind: 'ListenerSet', name: 'more' }],
          rules: [{ backendRefs: [{ name: 'c', port: 80 }] }],
        },
      },
    );
    await serves(() => plain('x.more.test'), 'c');
    standalone.write('policy.yaml', accessPolicy('more', { kind: 'ListenerSet', name: 'more' }, noClient));
    await serves(() => plain('x.more.test'), '403');
    t.is(await plain('b.test'), 'b');
    await serves(() => plain('a.test'), 'a');
  },
);

test('the admin API shows which proxies serve which Gateway', async (t) => {
  const { standalone, ports, plain } = await world(t);
  await serves(() => plain('b.test'), 'b');
  await serves(() => plain('a.test'), 'a');
  await until('the proxy to be current', () => isCurrent(standalone));
  const { layout1, layout2 } = standalone.control.ports;
  const ask = async (path: string, port = layout1) => (await standalone.json(port, path)).body as never;
  const node = 'gatewright-system.class-gatewright';
  for (const query of ['', '?gateway=a', '?gateway=default/b', `?gateway=${encodeURIComponent(fleet)}`]) {
    const nodes = (await ask(`/v1/nodes${query}`)) as { nodeId: string; gateway: string }[];
    t.deepEqual(
      nodes.map(({ nodeId, gateway: served }) => [nodeId, served]),
      [[node, fleet]],
      query,
    );
  }
  t.deepEqual(await ask('/v1/nodes?gateway=c'), []);
  t.like(await ask('/v1/gateways/default/b'), { clients: [node] });
  t.like(await ask('/api/v1/gateways/default/a', layout2), { clients: [node] });
  t.like(await ask('/v1/snapshot-sync'), { nodes: [{ nodeId: node, gateway: fleet, state: 'current-ready' }] });
  const { edges } = (await ask('/v1/topology')) as { edges: { type: string; target: string }[] };
  t.deepEqual(
    edges
      .filter(({ type }) => type === 'serve')
      .map(({ target }) => target)
      .sort(),
    ['gateway/default/a', 'gateway/default/b'],
  );
  const listeners = (await ask('/v1/listeners?sort=name')) as {
    name: string;
    tls: { certificates: object[] } | null;
  }[];
  t.deepEqual(
    listeners.map(({ name }) => name),
    ['default.a.secure', 'default.a.web', 'default.b.secure', 'default.b.web'],
  );
  t.like(listeners[0]?.tls?.certificates[0], { sans: ['a.test'] });
  t.like(await ask('/v1/infrastructure'), {
    resources: [
      { owner: fleet, role: 'agent' },
      { owner: fleet, role: 'envoy' },
    ],
  });
  const tested = await fetch(`http://127.0.0.1:${layout1}/v1/route-test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ host: 'b.test', port: ports.http, gateway: 'b' }),
  });
  t.like(await tested.json(), {
    outcome: 'forward',
    gateway: { namespace: 'default', name: 'b' },
    listener: 'default.b.web',
    route: { name: 'of-b' },
  });
});

/** Slow machines ask that often too. */
const leastAsked = 60;

thorough(test)('a third Gateway comes, displaces no other, and goes, without a failed request', async (t) => {
  const { standalone, ports, plain, secure } = await world(t);
  await serves(() => plain('b.test'), 'b');
  await serves(() => secure('a.test'), 'a');
  const stopping = new AbortController();
  const failed: string[] = [];
  let count = 0;
  const ask = async (what: string, request: () => Promise<string>, answer: string) => {
    while (!stopping.signal.aborted || count < leastAsked) {
      const got = await request().catch((error: Error) => error.message);
      if (got !== answer) failed.push(`${what}: ${got}`);
      count += 1;
      await delay(5);
    }
  };
  const traffic = [
    ask('a', () => plain('a.test'), 'a'),
    ask('b', () => plain('b.test'), 'b'),
    ask('a by TLS', () => secure('a.test'), 'a'),
    ask('b by TLS', () => secure('b.test'), 'b'),
  ];
  // It wants a host that is taken, too.
  const third = [
    gateway('c', '2026-01-03T00:00:00Z', [
      http(ports.http, 'c.test'),
      https(ports.https, 'c.test'),
      { ...http(ports.http, 'a.test'), name: 'taken' },
    ]),
    route('c', ['a.test', 'c.test']),
  ];
  for (let round = 0; round < 5; round += 1) {
    standalone.write('c.yaml', ...third);
    await serves(() => secure('c.test'), 'c');
    await serves(() => plain('c.test'), 'c');
    const conflict = conditionOf(standalone, 'c', 'taken', 'Conflicted');
    t.is(conflict?.status, 'True');
    t.regex(conflict?.message ?? '', /listener web of Gateway default\/a/i);
    t.is(conditionOf(standalone, 'c', 'web', 'Conflicted')?.status, 'False');
    standalone.remove('c.yaml');
    await serves(() => plain('c.test'), '404');
    await serves(() => secure('c.test'), 'refused');
  }
  stopping.abort();
  await Promise.all(traffic);
  t.deepEqual(failed, []);
  t.true(count > 50);
  t.log(`${count} requests`);
});

thorough(test)(
  'the older Gateway goes, and the younger one has its host; the last one goes, and so do the proxies',
  async (t) => {
    const { standalone, ports, plain } = await world(t);
    standalone.write(
      'c.yaml',
      gateway('c', '2026-01-03T00:00:00Z', [{ ...http(ports.http, 'a.test'), name: 'taken' }]),
      route('c'),
    );
    await serves(() => plain('a.test'), 'a');
    await until('the conflict', () => conditionOf(standalone, 'c', 'taken', 'Conflicted')?.status === 'True');
    standalone.remove('a.yaml');
    await serves(() => plain('a.test'), 'c');
    t.is(conditionOf(standalone, 'c', 'taken', 'Conflicted')?.status, 'False');
    standalone.remove('b.yaml');
    standalone.remove('c.yaml');
    await until('the proxies to go', () => standalone.control.xds.nodes.list().every(({ connected }) => !connected));
  },
);

thorough(test)(
  'who is asked for a certificate, and for which kind of connection a port is, each Gateway says for itself',
  async (t) => {
    const { standalone, ports, plain, secure } = await world(t);
    const others = await createAuthority('clients');
    await serves(() => secure('a.test'), 'a');
    const validation = { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'clients' }] };
    const tcp = await freePort();
    standalone.write(
      'a.yaml',
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'clients' },
        data: { 'ca.crt': others.certificatePem },
      },
      gateway('a', '2026-01-01T00:00:00Z', [http(ports.http, 'a.test'), https(ports.https, 'a.test')], {
        tls: { frontend: { default: { validation } } },
      }),
      route('a', ['a.test']),
      gateway('c', '2026-01-03T00:00:00Z', [{ name: 'tcp', port: tcp, protocol: 'TCP' }]),
      {
        apiVersion: api,
        kind: 'TCPRoute',
        metadata: { name: 'of-c' },
        spec: { parentRefs: [{ name: 'c' }], rules: [{ backendRefs: [{ name: 'c', port: 80 }] }] },
      },
    );
    await serves(() => secure('a.test'), 'refused');
    t.is(await secure('b.test'), 'b');
    t.is(await plain('a.test'), 'a');
    await serves(async () => (await send(tcp, { host: 'any.test' })).body, 'c');
  },
);

thorough(test)('a class changes from proxies for each Gateway to shared ones, and back', async (t) => {
  const { standalone, plain } = await world(t, false);
  // Each with proxies of its own, of which one only can have the port.
  await until('two proxies', () => standalone.control.xds.nodes.list().length === 2);
  standalone.write('gateway.yaml', gatewayClass, parameters(true));
  await serves(() => plain('b.test'), 'b');
  await serves(() => plain('a.test'), 'a');
  standalone.remove('b.yaml');
  standalone.write('gateway.yaml', gatewayClass, parameters(false));
  await until('a proxy of its own', () =>
    standalone.control.xds.nodes.list().some(({ gateway: key, connected }) => connected && key === 'default/a'),
  );
  await serves(() => plain('a.test'), 'a');
  t.pass();
});
