import test from 'ava';
import { thorough } from '../support/repetitions.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

test('the running program has a schema of each kind that it takes, and says where objects come from', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const { layout1 } = gateway.control.ports;
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${layout1}${path}`, { headers });

  const response = await ask('/v1/schemas/HTTPRoute');
  t.is(response.status, 200);
  // biome-ignore lint/suspicious/noExplicitAny: a schema of any depth
  const schema = (await response.json()) as any;
  t.deepEqual(schema.properties.kind.enum, ['HTTPRoute']);
  t.deepEqual(schema.properties.apiVersion.enum, ['gateway.networking.k8s.io/v1']);
  const { rules } = schema.properties.spec.properties;
  t.is(rules.items.properties.backendRefs.type, 'array');
  t.regex(rules.description, /\w/);
  const tag = response.headers.get('etag') ?? '';
  t.is((await ask('/v1/schemas/httproutes', { 'If-None-Match': tag })).status, 304);

  const kinds = (await (await ask('/v1/resource-kinds')).json()) as { kind: string; writable: boolean }[];
  const writable = kinds.filter((each) => each.writable).map(({ kind }) => kind);
  t.true(writable.length > 10);
  for (const kind of writable) t.is((await ask(`/v1/schemas/${kind}`)).status, 200, kind);
  t.is((await ask('/v1/schemas/Pod')).status, 400);

  t.deepEqual(await (await ask('/v1/auth/verify')).json(), {
    authenticated: true,
    readOnly: false,
    mode: 'directory',
    directory: gateway.directory,
  });
});

test('a snapshot says which objects led to it, and only those', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const snapshots = async () =>
    (await gateway.json(gateway.control.ports.layout1, '/v1/events/recent?types=snapshot')).body as {
      changed: { kind: string; namespace: string; name: string }[];
      changedCount: number;
    }[];
  const [first] = (await untilFits('a snapshot', snapshots, ({ length }) => length > 0)).toReversed();
  t.deepEqual([first?.changed, first?.changedCount], [[], 0], 'what was there at the start is no news');
  const routes = Array.from({ length: 30 }, (_, i) =>
    routeObject(`r${i}`, `r${i}.test`, [{ backendRefs: [{ name: 'one', port: 80 }] }]),
  );
  gateway.write('routes.yaml', ...routes);
  const [many] = await untilFits(
    'the routes to be in a snapshot',
    async () => (await snapshots()).filter(({ changedCount }) => changedCount > 0),
    ({ length }) => length > 0,
  );
  t.is(many?.changedCount, 30);
  t.is(many?.changed.length, 20);
  t.deepEqual(many?.changed[0], { kind: 'HTTPRoute', namespace: 'default', name: 'r0' });
  gateway.write('one.yaml', routeObject('late', 'late.test', [{ backendRefs: [{ name: 'one', port: 80 }] }]));
  await untilFits('the route alone to be named', snapshots, (all) =>
    all.some(({ changed, changedCount }) => changedCount === 1 && changed[0]?.name === 'late'),
  );
});

thorough(test)('two published snapshots can be compared, across what came and went between them', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const { layout1 } = gateway.control.ports;
  const list = async () =>
    (await gateway.json(layout1, '/v1/snapshots')).body as { id: string; changed: object[]; differenceCount: number }[];
  const route = (name: string, service = 'one') =>
    routeObject(name, `${name}.test`, [{ backendRefs: [{ name: service, port: 80 }] }]);
  /** The newest snapshot after a write, which is another than before. */
  const after = async (write: () => void): Promise<string> => {
    const [before] = await untilFits('a snapshot', list, ({ length }) => length > 0);
    write();
    const [newest] = await untilFits('another snapshot', list, ([first]) => first?.id !== before?.id);
    return newest?.id ?? '';
  };
  const start = await after(() => gateway.write('a.yaml', route('a')));
  await after(() => gateway.write('b.yaml', route('b')));
  await after(() => gateway.remove('b.yaml'));
  const end = await after(() => gateway.write('c.yaml', route('c')));

  const { status, body } = await gateway.json(layout1, `/v1/diff?from=${start}&to=${end}`);
  t.is(status, 200);
  const { ir, complete, total } = body as {
    ir: { kind: string; name: string; before: unknown }[];
    complete: boolean;
    total: number;
  };
  t.true(complete);
  t.is(total, ir.length);
  const hosts = ir.filter(({ kind }) => kind === 'route').map(({ name }) => name.split(' ').at(-1));
  t.deepEqual(hosts, ['c.test'], 'b came and went');
  t.is(ir.find(({ kind }) => kind === 'route')?.before, null);

  const byDefault = (await gateway.json(layout1, '/v1/diff')).body as { to: string };
  t.is(byDefault.to, end);
  t.is((await gateway.json(layout1, '/v1/diff?from=nothing')).status, 404);
  t.is((await gateway.json(layout1, `/v1/diff?from=${end}&to=${start}`)).status, 400);
});

test('a snapshot says how long it took until the proxies had it, and a metric adds it up', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const { layout1, metrics } = gateway.control.ports;
  interface Snapshot {
    readonly changed: readonly { readonly name: string }[];
    readonly convergedMs: number | null;
  }
  const snapshots = async () => (await gateway.json(layout1, '/v1/snapshots')).body as readonly Snapshot[];
  await until('the proxy to be current', () => isCurrent(gateway));
  t.is((await snapshots()).at(-1)?.convergedMs, null, 'of the first one it is not known');
  const began = performance.now();
  gateway.write('late.yaml', routeObject('late', 'late.test', [{ backendRefs: [{ name: 'one', port: 80 }] }]));
  const late = await untilFits(
    'the proxy to have it',
    async () => (await snapshots()).find(({ changed }) => changed.some(({ name }) => name === 'late')),
    (snapshot) => typeof snapshot?.convergedMs === 'number',
  );
  t.true((late?.convergedMs ?? 0) <= Math.ceil(performance.now() - began));
  const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
  t.regex(text, /^gatewright_snapshot_convergence_seconds_count [1-9]/m);
});
