import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { runTool } from '../../src/addons/chatbot/index.ts';
import { catalogue } from '../../src/admin/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { type ProblemCode, problemCodes, responseFlags } from '../../src/problems/index.ts';
import { nodeView, startAdmin, type TestAdmin } from '../support/admin.ts';
import { broken } from '../support/broken.ts';
import { testCertificates } from '../support/certificates.ts';
import { runCommand } from '../support/command.ts';
import { envoyPath } from '../support/envoy.ts';
import * as schemas from '../support/layout1-schemas.ts';
import {
  backendTlsPolicy,
  configMap,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  listenerSet,
  ownObject,
  secret,
  service,
} from '../support/objects.ts';
import { fileFor } from '../support/program.ts';
import { every, thorough } from '../support/repetitions.ts';
import { createRevokingAuthority } from '../support/revoking-authority.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { counted, trafficReport, trafficRow } from '../support/traffic.ts';
import { untilFits } from '../support/until.ts';

const test = anyTest as TestFn<TestAdmin>;
/** Of 100 days from the start of the tests. */
let revocations = '';
const made: (() => unknown)[] = [];
test.before(async () => {
  const authority = await createRevokingAuthority('clients', (end) => made.push(end));
  revocations = await authority.crl({ ends: new Date(Date.now() + 100 * 86_400_000) });
});
test.after.always(() => Promise.all(made.map((end) => end())));

const revoking = () => [
  configMap('revoked', { 'ca.crl': revocations }),
  ownObject('ListenerPolicy', 'edge', {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
    tls: { crlRef: { kind: 'ConfigMap', name: 'revoked' } },
  }),
];

/** Where requests of the route `web` fail. */
const troubled = new WeakSet<TestAdmin>();

test.beforeEach(async (t) => {
  t.context = await startAdmin(undefined, {
    files: () => [
      {
        severity: 'error',
        file: 'a.yaml',
        line: 3,
        column: 5,
        message: 'is wrong',
        isFormerServed: true,
        since: new Date(0),
      },
      { severity: 'error', file: 'a.yaml', line: 4, column: 1, message: 'is wrong too', since: new Date(0) },
      { severity: 'warning', file: 'b.yaml', line: 1, column: 1, message: 'is not read', since: new Date(0) },
    ],
    unreadable: () => new Map([['closed', 'forbidden']]),
  });
  troubled.add(t.context);
});
test.afterEach.always((t) => t.context.close());

const [pair] = testCertificates;
const certificateEnds = new X509Certificate(pair.certificate).validToDate.getTime();
const dayMs = 86_400_000;

const https = (...names: string[]) => ({
  name: 'https',
  port: 443,
  protocol: 'HTTPS',
  tls: { mode: 'Terminate' as const, certificateRefs: names.map((name) => ({ name })) },
});

const healthy = [gatewayClass(), gateway('edge'), service('web'), endpointSlice('web', ['10.0.0.1']), httpRoute('web')];
const certified = secret('cert', { 'tls.crt': pair.certificate, 'tls.key': pair.key });

/** Makes the Gateway `edge` served. */
function serve(admin: TestAdmin, ...objects: readonly KubernetesObject[]): string {
  admin.build(...([...healthy, ...objects] as never[]));
  const { graph } = admin;
  graph.acknowledge('default/edge', graph.snapshot()!.gateways.get('default/edge')!.listenersDigest);
  graph.setDataPlane('default/edge', { addresses: [{ type: 'IPAddress', value: '127.0.0.1' }], message: '' } as never);
  const id = admin.build();
  admin.nodes.set('n1', nodeView('n1', { lastAckVersion: id, lastConfigStatus: 'ACK' }));
  if (troubled.has(admin)) {
    const rows = [trafficRow('httproute/default/web/rule/0', { bad: 3, backend: 'default/web/80' })];
    const now = admin.now.getTime();
    admin.traffic.take({ nodeId: 'n1', cluster: 'default/edge' }, trafficReport({ now, counted: counted(rows, now) }));
  }
  return id;
}

async function read(admin: TestAdmin, query = ''): Promise<ReturnType<typeof schemas.problems.parse>> {
  const response = await admin.layout1(`/v1/problems${query}`);
  return schemas.problems.parse(await response.json());
}

const shop = {
  hostnames: ['shop.test'],
  rules: [
    { matches: [{ path: { type: 'PathPrefix' as const, value: '/cart' } }], backendRefs: [{ name: 'web', port: 80 }] },
  ],
};

const aged = <T extends KubernetesObject>(object: T, creationTimestamp: string): T => ({
  ...object,
  metadata: { ...object.metadata, creationTimestamp },
});

/** What each code needs, and what its message says. */
const cases: Partial<Record<ProblemCode, { make: (admin: TestAdmin) => void; at: string; text: RegExp }>> = {
  traffic_failing: { make: (admin) => serve(admin), at: 'default/web', text: /3 of 3 requests failed: .*\(UF\)/ },
  backend_without_endpoints: {
    make: (admin) =>
      serve(admin, service('idle'), httpRoute('idle', { rules: [{ backendRefs: [{ name: 'idle', port: 80 }] }] })),
    at: 'default/idle:80',
    text: /has no endpoint/,
  },
  listener_failed: {
    make: (admin) => serve(admin, gateway('edge', [{ name: 'http', port: 80, protocol: 'ODD/x' }])),
    at: '/default.edge.http',
    text: /UnsupportedProtocol/,
  },
  gateway_failed: {
    make: (admin) => {
      const parametersRef = { group: 'gatewright.dev', kind: 'DataPlane', name: 'nowhere' };
      serve(admin, gateway('odd', [], { infrastructure: { parametersRef } }));
    },
    at: 'default/odd',
    text: /InvalidParameters: /,
  },
  gateway_class_unknown: {
    make: (admin) =>
      serve(admin, {
        ...gateway('typo'),
        spec: { ...gateway('typo').spec, gatewayClassName: `${gatewayClass().metadata.name}x` },
      }),
    at: 'default/typo',
    text: new RegExp(`there is no GatewayClass "\\S+x"; did you mean ${gatewayClass().metadata.name}\\?`),
  },
  node_rejected: {
    make: (admin) => {
      serve(admin);
      admin.nodes.set('n2', nodeView('n2', { lastConfigStatus: 'NACK', lastNackMessage: 'no regex' }));
    },
    at: '/n2',
    text: /no regex/,
  },
  node_lost: {
    make: (admin) => {
      serve(admin);
      admin.nodes.set('n5', nodeView('n5', { connected: false, ready: false, disconnectReason: 'client_disconnect' }));
    },
    at: '/n5',
    text: /^lost: its stream ended without a goodbye/,
  },
  node_not_current: {
    make: (admin) => {
      serve(admin);
      admin.nodes.set('n3', nodeView('n3', { lastAckVersion: 'older' }));
    },
    at: '/n3',
    text: /has applied snapshot older/,
  },
  gateway_unknown: {
    make: (admin) => {
      serve(admin);
      admin.nodes.set('n4', { ...nodeView('n4'), gateway: 'default/edgy' });
    },
    at: '/n4',
    text: /waits for Gateway default\/edgy, .*did you mean default\/edge\?/,
  },
  file_rejected: {
    make: (admin) => serve(admin),
    at: '/a.yaml',
    text: /^a\.yaml:3:5: is wrong; the former version is still served$/,
  },
  file_ignored: { make: (admin) => serve(admin), at: '/b.yaml', text: /^b\.yaml:1:1: is not read$/ },
  route_not_accepted: {
    make: (admin) => serve(admin, httpRoute('lost', { parentRefs: [{ name: 'edge', sectionName: 'none' }] })),
    at: 'default/lost',
    text: /NoMatchingParent/,
  },
  object_unresolved: {
    make: (admin) =>
      serve(admin, broken(httpRoute('odd', { hostnames: ['odd.test'] }), ['spec', 'hostnames'], 'contributionsOf')),
    at: 'default/odd',
    text: /an exception keeps HTTPRoute default\/odd from being resolved/,
  },
  object_not_accepted: {
    make: (admin) =>
      serve(
        admin,
        backendTlsPolicy('odd', {
          targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
          validation: { hostname: 'a.test', caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'none' }] },
        }),
      ),
    at: 'default/odd',
    text: /ConfigMap default\/none/,
  },
  object_degraded: {
    make: (admin) => {
      const asking = (name: string, target: object) =>
        ownObject('AccessPolicy', name, {
          targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }],
          forwardAuth: { backendRef: { name: 'web', port: 80 }, http: { path: '/verify' } },
        });
      serve(
        admin,
        gateway('edge', [{ name: 'http' }], { allowedListeners: { namespaces: { from: 'Same' } } }),
        listenerSet('more', [{ name: 'own', hostname: 'more.test', port: 80 }] as never),
        asking('whole', { kind: 'Gateway', name: 'edge' }),
        asking('set', { kind: 'ListenerSet', name: 'more' }),
        asking('one', { kind: 'Gateway', name: 'edge', sectionName: 'http' }),
      );
    },
    at: 'default/set',
    text: /^NoRoomToMove: .* at port 80 all have forwardAuth/,
  },
  parent_unknown: {
    make: (admin) => serve(admin, httpRoute('astray', { parentRefs: [{ name: 'egde' }] })),
    at: 'default/astray',
    text: /there is no Gateway default\/egde; did you mean default\/edge\?/,
  },
  route_degraded: {
    make: (admin) => serve(admin, httpRoute('broken', { rules: [{ backendRefs: [{ name: 'gone', port: 80 }] }] })),
    at: 'default/broken',
    text: /BackendNotFound/,
  },
  rule_without_backend: {
    make: (admin) =>
      serve(
        admin,
        ownObject('HTTPFilter', 'gone', { directResponse: { status: 410 } }),
        httpRoute('answered', {
          rules: [
            {
              filters: [
                { type: 'ExtensionRef', extensionRef: { group: 'gatewright.dev', kind: 'HTTPFilter', name: 'gone' } },
              ],
            },
          ],
        }),
        httpRoute('idle', { rules: [{ backendRefs: [{ name: 'web', port: 80, weight: 0 }] }] }),
      ),
    at: 'default/idle',
    text: /^rule 0: all weights of its backendRefs are 0; its requests are answered with an error$/,
  },
  match_shadowed: {
    make: (admin) =>
      serve(
        admin,
        aged(httpRoute('older', shop), '2026-01-01T00:00:00Z'),
        aged(httpRoute('newer', shop), '2026-02-01T00:00:00Z'),
      ),
    at: 'default/newer',
    text: /^rule 0 \(path prefix \/cart\) gets no request on host shop\.test: HTTPRoute default\/older has the same match in rule 0 and goes first, as it is older \(2026-01-01T00:00:00Z, this one 2026-02-01T00:00:00Z\)$/,
  },
  ai_service_without_credential: {
    make: (admin) =>
      serve(admin, {
        apiVersion: 'gatewright.dev/v1alpha1',
        kind: 'AIService',
        metadata: { namespace: 'default', name: 'openai', generation: 1 },
        spec: { provider: 'openai', endpoint: { hostname: 'api.openai.com' }, models: [{ name: 'gpt' }] },
      } as never),
    at: 'default/openai',
    text: /^it has no auth, so openai gets the credential that the client sends, or none$/,
  },
  certificate_missing: {
    make: (admin) => serve(admin, gateway('edge', [{}, https('none')])),
    at: 'default/none',
    text: /is missing: there is no such Secret; used by default\.edge\.https/,
  },
  certificate_unusable: {
    make: (admin) =>
      serve(admin, gateway('edge', [{}, https('odd')]), secret('odd', { 'tls.crt': 'bm8=', 'tls.key': 'bm8=' })),
    at: 'default/odd',
    text: /cannot be used/,
  },
  certificate_expired: {
    make: (admin) => {
      admin.now = new Date(certificateEnds + 661.5 * dayMs);
      serve(admin, gateway('edge', [{}, https('cert')]), certified);
    },
    at: 'default/cert',
    text: /^ended 661 days ago \(\d{4}-\d\d-\d\d\); used by default\.edge\.https$/,
  },
  certificate_expiring: {
    make: (admin) => {
      admin.now = new Date(certificateEnds - 9.5 * dayMs);
      serve(admin, gateway('edge', [{}, https('cert')]), certified);
    },
    at: 'default/cert',
    text: /^ends in 9 days/,
  },
  revocation_list_ending: {
    make: (admin) => {
      admin.now = new Date(Date.now() + 76 * dayMs);
      serve(admin, ...revoking());
    },
    at: 'default/revoked',
    text: /^a list of revoked certificates in it ends at \d{4}-.*; from then on no client .* where ListenerPolicy default\/edge is$/,
  },
  revocation_list_ended: {
    make: (admin) => {
      admin.now = new Date(Date.now() + 101 * dayMs);
      serve(admin, ...revoking());
    },
    at: 'default/revoked',
    text: /^a list of revoked certificates in it ended at \d{4}-/,
  },
  certificate_not_yet_valid: {
    make: (admin) => {
      admin.now = new Date(new X509Certificate(pair.certificate).validFromDate.getTime() - dayMs);
      serve(admin, gateway('edge', [{}, https('cert')]), certified);
    },
    at: 'default/cert',
    text: /is not valid before/,
  },
  namespace_unreadable: { make: (admin) => serve(admin), at: '/', text: /namespace closed cannot be read/ },
  snapshot_missing: { make: () => undefined, at: '/', text: /no snapshot has been built/ },
};

for (const [code, { make, at, text }] of Object.entries(cases))
  test(`/v1/problems, gatewright status and list_problems say ${code}, with a cause and a next step`, async (t) => {
    const admin = t.context;
    make(admin);
    const { items } = await read(admin, '?limit=500');
    const found = items.find((item) => item.code === code && `${item.object.namespace}/${item.object.name}` === at);
    if (!found) return t.fail(JSON.stringify(items, undefined, 1));
    t.regex(found.message, text);
    t.true(found.cause !== '' && found.next !== '');
    for (const link of found.links) t.is((await admin.layout1(link)).status, 200, link);
    const status = await runCommand(['status'], { GATEWRIGHT_SERVER: `http://127.0.0.1:${admin.ports.layout1}` });
    t.is(status.code, 1, status.stderr);
    t.true(status.stdout.includes(found.message), status.stdout);
    const tool = await runTool(
      'list_problems',
      { area: found.area },
      askIn(admin) as never,
      AbortSignal.timeout(240_000),
    );
    t.true(
      JSON.parse(tool.text).problems.some(
        (problem: { code: string; why: string }) =>
          problem.code === code && text.test(problem.why.split(' → ')[0] as string),
      ),
      tool.text,
    );
  });

const askIn = (admin: TestAdmin) => async (question: { method: string; path: string }) => {
  const response = await admin.layout1(question.path, { method: question.method });
  return { status: response.status, body: await response.json() };
};

test('the worst problems come first, equal ones are one line, and the verdict is a sentence', async (t) => {
  const admin = t.context;
  const gone = (name: string) =>
    httpRoute(name, { hostnames: [`${name}.test`], rules: [{ backendRefs: [{ name: 'gone', port: 80 }] }] });
  serve(admin, gone('a'), gone('b'), gone('c'));
  const { verdict, sentence, items, total } = await read(admin);
  t.is(verdict, 'failing');
  t.is(sentence, '4 problems, 2 warnings.');
  t.is(total, 6);
  t.is(new Set(items.map(({ id }) => id)).size, 6, 'each has an id of its own');
  const order = Object.keys(problemCodes);
  const ranks = items.map(({ code }) => order.indexOf(code));
  t.deepEqual(
    ranks,
    [...ranks].sort((x, y) => x - y),
  );
  t.is(items.find(({ code }) => code === 'route_degraded')?.count, 3);
  t.deepEqual(
    (await read(admin, '?severity=warning')).items.map(({ severity }) => severity),
    ['warning', 'warning'],
  );
  t.is((await read(admin, '?namespace=default')).total, 2);
  t.is((await read(admin, '?limit=1&offset=1')).items[0]?.id, items[1]?.id);
  const wrong = await admin.layout1('/v1/problems?severity=bad');
  t.is(wrong.status, 400);
});

test('when nothing is wrong the verdict says so, and before a snapshot it is unknown', async (t) => {
  const admin = await startAdmin();
  t.teardown(() => admin.close());
  t.is((await read(admin)).verdict, 'unknown');
  serve(admin);
  const { verdict, sentence, total } = await read(admin);
  t.is(total, 0);
  t.is(verdict, 'ok');
  t.is(sentence, 'Everything is all right: 1 Gateway, 1 route, 1 proxy on the newest configuration.');
});

test('a route of another controller, and a Gateway of a class that is served, are no problems of ours', async (t) => {
  const admin = t.context;
  const theirs = {
    ...gatewayClass('theirs', 'example.com/other'),
    status: { conditions: [{ type: 'Accepted', status: 'True', reason: 'Accepted' }] },
  };
  const foreign = { ...gateway('foreign'), spec: { ...gateway('foreign').spec, gatewayClassName: 'theirs' } };
  serve(admin, theirs as never, foreign, httpRoute('elsewhere', { parentRefs: [{ name: 'foreign' }] }));
  const { items } = await read(admin, '?namespace=default');
  t.deepEqual(
    items.map(({ code }) => code),
    ['traffic_failing'],
  );
});

test('a parent in a namespace that is not read is not known to be missing', async (t) => {
  const admin = await startAdmin(undefined, { reads: ['default'] });
  t.teardown(() => admin.close());
  serve(
    admin,
    httpRoute('away', { parentRefs: [{ name: 'theirs', namespace: 'elsewhere' }] }),
    httpRoute('astray', { parentRefs: [{ name: 'none' }] }),
  );
  const { items } = await read(admin);
  t.deepEqual(
    items.map(({ object }) => object.name),
    ['astray'],
  );
});

test('every code is explained by the API, by the command and by a page, and is there once', async (t) => {
  const codes = catalogue.map(({ code }) => code);
  t.is(new Set(codes.map((code) => code.toLowerCase())).size, codes.length);
  const page = readFileSync(new URL('../../docs/problems.md', import.meta.url), 'utf8');
  for (const { code, docs } of catalogue) {
    const response = await t.context.layout1(`/v1/explain/${code.toLowerCase()}`);
    t.is(response.status, 200, code);
    const body = schemas.explanation.parse(await response.json());
    t.is(body.code, code);
    t.true(body.summary.length > 10 && body.steps.length > 0, code);
    if (docs.startsWith('problems.md')) t.true(page.includes(`\n### ${code}\n`), code);
  }
  t.regex((await runCommand(['explain', 'uf'])).stdout, /^UF\nUpstreamConnectionFailure: .*\ncauses:\n- .*\n/);
  const unknown = await t.context.layout1('/v1/explain/NoMatchingParnt');
  t.is(unknown.status, 404);
  t.like(await unknown.json(), { error: { code: 'code_unknown' } });
  t.regex((await runCommand(['explain', 'NoMatchingParnt'])).stderr, /did you mean "NoMatchingParent"\?/);
});

test('every response flag that Envoy knows is explained, and no other', async (t) => {
  const filter = { response_flag_filter: { flags: ['ZZ'] } };
  const type = 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog';
  const listener = { name: 'a', access_log: [{ name: 'x', filter, typed_config: { '@type': type } }] };
  const file = fileFor(t as never, JSON.stringify({ static_resources: { listeners: [listener] } }), 'envoy.json');
  const said = await new Promise<string>((resolve) => {
    execFile(envoyPath(), ['--mode', 'validate', '-c', file], (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  const flags = said.match(/value must be in list \[([A-Z ]+)\]/)?.[1]?.split(' ') ?? [];
  t.true(flags.length > 20, said);
  t.deepEqual(Object.keys(responseFlags).sort(), [...flags].sort());
});

/** What each place of the running program says of its files. */
async function places(gateway: Standalone): Promise<Readonly<Record<string, string>>> {
  const { layout1, metrics } = gateway.control.ports;
  const json = async (path: string) => JSON.stringify((await gateway.json(layout1, path)).body);
  const chat = await fetch(`http://127.0.0.1:${layout1}/v1/chatbot/chat`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ prompt: 'Is anything wrong?' }),
  });
  const status = await runCommand(['status'], { GATEWRIGHT_SERVER: `http://127.0.0.1:${layout1}` });
  return {
    '/v1/problems': await json('/v1/problems'),
    'summary warnings': await json('/v1/summary'),
    '/v1/events/recent': await json('/v1/events/recent?types=problem'),
    'gatewright status': status.stdout,
    chat: await chat.text(),
    'the log': gateway.log.map(({ msg }) => msg).join('\n'),
    metrics: await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text(),
  };
}

/** Starts with a route that is served. */
async function startServing(t: ExecutionContext<TestAdmin>): Promise<Standalone> {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  gateway.write('backends.yaml', ...(await gateway.backend('one')));
  gateway.write('route.yaml', routeObject('shop', 'shop.test', [{ backendRefs: [{ name: 'one', port: 80 }] }]));
  await untilFits(
    'the route to be served',
    () => gateway.get('shop.test'),
    ({ status }) => status === 200,
  );
  return gateway;
}

for (const [name, spoil, at] of every(2, [
  [
    'YAML that cannot be read',
    (text: string) => `${text}\n  bad: [`,
    /route\.yaml:\d+:\d+: .*; the former version is still served/,
  ],
  [
    'an unknown field',
    (text: string) => text.replace('hostnames:', 'hostnam:'),
    /route\.yaml:\d+:\d+: HTTPRoute default\/shop: .*hostnam.*; the former version is still served/,
  ],
] as const))
  test.serial(
    `${name} is named with its place in every answer of the running program, until it is corrected`,
    async (t) => {
      const gateway = await startServing(t);
      const path = join(gateway.directory, 'route.yaml');
      const good = readFileSync(path, 'utf8');
      writeFileSync(path, spoil(good));
      const isSaid = (body: unknown) => at.test(JSON.stringify(body));
      const problems = () => gateway.json(gateway.control.ports.layout1, '/v1/problems').then(({ body }) => body);
      await untilFits('the file to be rejected', problems, isSaid);
      const { metrics, ...said } = await places(gateway);
      for (const [place, text] of Object.entries(said)) t.regex(text, at, place);
      t.regex(metrics ?? '', /gatewright_file_problems\{severity="error"\} 1\n/);
      t.is((await gateway.get('shop.test')).status, 200);
      writeFileSync(path, good);
      await untilFits('the problem to end', problems, (body) => !isSaid(body));
      const after = await places(gateway);
      t.regex(after['/v1/events/recent'] ?? '', /"action":"ended"/);
      t.regex(after.metrics ?? '', /gatewright_file_problems\{severity="error"\} 0\n/);
      t.notRegex(after['gatewright status'] ?? '', at);
    },
  );

/** Waits for a line of the log. */
const logged = (gateway: Standalone, line: RegExp) =>
  untilFits(
    `the log to say ${line}`,
    () => gateway.log.find(({ msg }) => line.test(String(msg))),
    (found) => found !== undefined,
  );

const events = async (gateway: Standalone) =>
  JSON.stringify((await gateway.json(gateway.control.ports.layout1, '/v1/events/recent?types=problem')).body);

test.serial('a class and a parent that are misspelt are logged with what was meant, and so is their end', async (t) => {
  const gateway = await startServing(t);
  const [, object] = gateway.gatewayObjects as [object, { metadata: object; spec: object }];
  const other = { ...object, metadata: { name: 'other' } };
  gateway.write('other.yaml', { ...other, spec: { ...object.spec, gatewayClassName: 'gatewrigth' } });
  await logged(gateway, /^Gateway default\/other: there is no GatewayClass "gatewrigth"; did you mean gatewright\?$/);
  const astray = routeObject('astray', 'astray.test', []) as { spec: object };
  gateway.write('astray.yaml', {
    ...astray,
    spec: { ...astray.spec, parentRefs: [{ name: 'egde' }], rules: undefined },
  });
  await logged(gateway, /^HTTPRoute default\/astray: there is no Gateway default\/egde; did you mean default\/edge\?$/);
  t.regex(await events(gateway), /"action":"raised","code":"parent_unknown"/);
  gateway.remove('other.yaml');
  await logged(gateway, /^Gateway default\/other: no longer: there is no GatewayClass/);
  gateway.write('egde.yaml', {
    ...object,
    metadata: { name: 'egde' },
    spec: { ...object.spec, gatewayClassName: 'none' },
  });
  await logged(gateway, /^HTTPRoute default\/astray: no longer: there is no Gateway default\/egde/);
});

thorough(test.serial)(
  'a faulty object that is deleted is gone, and a Gateway that its routes lose is named',
  async (t) => {
    const gateway = await startServing(t);
    gateway.write('bad.yaml', routeObject('bad', 'bad.test', [{ backendRefs: [{ name: 'nothing', port: 80 }] }]));
    await logged(gateway, /^HTTPRoute default\/bad: .*BackendNotFound/);
    gateway.remove('bad.yaml');
    await logged(gateway, /^HTTPRoute default\/bad: is gone$/);
    t.regex(await events(gateway), /"action":"ended","code":"route_degraded"[^}]*"name":"bad"/);
    const [gatewayClass] = gateway.gatewayObjects;
    gateway.write('gateway.yaml', gatewayClass as object);
    await logged(gateway, /^HTTPRoute default\/shop: there is no Gateway default\/edge$/);
  },
);

thorough(test.serial)(
  'a certificate that ends soon or has ended is logged when it is read, and when it is renewed',
  async (t) => {
    const gateway = await startServing(t);
    const authority = await createAuthority('tests');
    const [gatewayClass, object] = gateway.gatewayObjects as [object, { spec: { listeners: object[] } }];
    const listeners = [...object.spec.listeners, { ...https('soon'), port: await freePort() }];
    const write = async (days: number) => {
      const ends = new Date(Date.now() + days * dayMs);
      const { certificatePem, keyPem } = await authority.issue({ hostnames: ['a.test'], ends });
      const data = { 'tls.crt': btoa(certificatePem), 'tls.key': btoa(keyPem) };
      const pair = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'soon' }, type: 'kubernetes.io/tls', data };
      gateway.write('gateway.yaml', gatewayClass, { ...object, spec: { ...object.spec, listeners } }, pair);
    };
    await write(9.5);
    await logged(gateway, /^certificate default\/soon: ends in 9 days \(\d{4}-\d\d-\d\d\)$/);
    await write(-60.5);
    await logged(gateway, /^certificate default\/soon: ended 60 days ago/);
    await write(90);
    await logged(gateway, /^certificate default\/soon: no longer: ended/);
    t.regex(await events(gateway), /"code":"certificate_expired"/);
  },
);

thorough(test.serial)(
  'authorities that end soon are where serving certificates are: of a bundle, the one that ends first',
  async (t) => {
    const gateway = await startServing(t);
    const [gatewayClass, object] = gateway.gatewayObjects as [object, { spec: { listeners: object[] } }];
    const authority = await createAuthority('tests');
    const issue = async (days: number) => {
      const ends = new Date(Date.now() + days * dayMs);
      return (await authority.issue({ hostnames: ['ca.test'], ends })).certificatePem;
    };
    const validation = { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'clients' }] };
    const spec = { ...object.spec, tls: { frontend: { default: { validation } } } };
    const write = async (...days: number[]) => {
      const map = (name: string, pem: string) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { 'ca.crt': pem },
      });
      const pems = await Promise.all(days.map(issue));
      gateway.write(
        'gateway.yaml',
        gatewayClass,
        { ...object, spec },
        map('clients', pems.join('\n')),
        map('idle', await issue(1)),
      );
    };
    await write(90, 9.5, 200);
    await logged(gateway, /^ConfigMap default\/clients: an authority in it ends in 9 days \(\d{4}-\d\d-\d\d\)$/);
    await write(90, -60.5);
    await logged(gateway, /^ConfigMap default\/clients: an authority in it ended 60 days ago/);
    await write(90);
    await logged(gateway, /^ConfigMap default\/clients: no longer: an authority in it ended/);
    t.notRegex(await events(gateway), /"name":"idle"/, 'nothing checks by it');
  },
);

test.serial(
  'the log says what no condition says: equal matches, idle rules, targets that are missing, no credential',
  async (t) => {
    const gateway = await startServing(t);
    const own = { apiVersion: 'gatewright.dev/v1alpha1' };
    gateway.write('second.yaml', routeObject('shop-copy', 'shop.test', [{ backendRefs: [{ name: 'one', port: 80 }] }]));
    await logged(
      gateway,
      /^HTTPRoute default\/shop-copy: rule 0 \(path prefix \/\) gets no request on host shop\.test: HTTPRoute default\/shop has the same match in rule 0/,
    );
    t.regex(await events(gateway), /"action":"raised","code":"match_shadowed"[^}]*"name":"shop-copy"/);
    gateway.write('second.yaml', routeObject('shop-copy', 'copy.test', [{ backendRefs: [{ name: 'one', port: 80 }] }]));
    await logged(gateway, /^HTTPRoute default\/shop-copy: no longer: rule 0 \(path prefix \/\) gets no request/);

    gateway.write(
      'idle.yaml',
      routeObject('idle', 'idle.test', [{ backendRefs: [{ name: 'one', port: 80, weight: 0 }] }]),
    );
    await logged(gateway, /^HTTPRoute default\/idle: rule 0: all weights of its backendRefs are 0/);
    gateway.remove('idle.yaml');
    await logged(gateway, /^HTTPRoute default\/idle: no longer: rule 0: all weights/);

    const target = (name: string) => ({
      ...own,
      kind: 'BackendPolicy',
      metadata: { name: 'limits' },
      spec: { targetRefs: [{ group: '', kind: 'Service', name }], circuitBreaker: { maxConnections: 10 } },
    });
    gateway.write('policy.yaml', target('two'));
    await logged(gateway, /^BackendPolicy default\/limits: TargetNotFound: Service default\/two does not exist/);
    gateway.write('two.yaml', ...(await gateway.backend('two')));
    await logged(gateway, /^BackendPolicy default\/limits: no longer: TargetNotFound/);

    gateway.write('ai.yaml', {
      ...own,
      kind: 'AIService',
      metadata: { name: 'openai' },
      spec: { provider: 'openai', endpoint: { hostname: 'api.example.com' }, models: [{ name: 'gpt' }] },
    });
    await logged(gateway, /^AIService default\/openai: it has no auth, so openai gets the credential/);
  },
);

test('a problem of a backend is listed for the routes that use it', async (t) => {
  const admin = t.context;
  serve(admin, service('idle'), httpRoute('idle', { rules: [{ backendRefs: [{ name: 'idle', port: 80 }] }] }));
  const of = async (name: string) =>
    (await read(admin, `?object=HTTPRoute/default/${name}`)).items.map(({ code }) => code);
  t.true((await of('idle')).includes('backend_without_endpoints'));
  t.false((await of('web')).includes('backend_without_endpoints'));
});

test('of equal matches only those that no request reaches are a problem', async (t) => {
  const admin = await startAdmin();
  t.teardown(() => admin.close());
  const made = (name: string, hostnames: string[], value: string, at = '2026-01-01T00:00:00Z') =>
    aged(
      httpRoute(name, {
        hostnames,
        rules: [{ matches: [{ path: { type: 'PathPrefix', value } }], backendRefs: [{ name: 'web', port: 80 }] }],
      }),
      at,
    );
  serve(
    admin,
    made('specific', ['a.shop.test'], '/x'),
    made('wide', ['*.shop.test'], '/x'),
    made('b', ['b.test', 'c.test'], '/x'),
    made('c', ['c.test', 'b.test'], '/x'),
    made('d', ['b.test'], '/y'),
    made('e', ['b.test'], '/x'),
  );
  const { items } = await read(admin);
  t.deepEqual(
    items.map(({ code, object, count, message }) => [code, object.name, count, message]),
    [
      [
        'match_shadowed',
        'c',
        2,
        'rule 0 (path prefix /x) gets no request on host b.test: HTTPRoute default/b has the same match in rule 0 and goes first, as it is as old and its name comes first',
      ],
    ],
  );
  t.is((await read(admin, '?object=HTTPRoute/default/e')).total, 1);
});
