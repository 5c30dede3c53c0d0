import { connect as connectH2, type OutgoingHttpHeaders } from 'node:http2';
import anyTest, { type TestFn } from 'ava';
import { endings } from '../support/endings.ts';
import { type CountingBackend, serviceObjects, startBackend } from '../support/http.ts';
import { exchange } from '../support/raw-http.ts';
import { every } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

// A stranger names the host of a request in a way that a proxy, its routes and a backend could read apart.

interface World {
  readonly gateway: Standalone;
  readonly backend: CountingBackend;
}

const test = anyTest as TestFn<World>;
const all = endings(test);

const marked = (mark: string) => ({
  backendRefs: [{ name: 'web', port: 80 }],
  filters: [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { set: [{ name: 'x-rule', value: mark }] } }],
});
const toAll = (mark: string) => {
  const route = routeObject('all', 'any', [marked(mark)]) as { readonly spec: object };
  return { ...route, spec: { ...route.spec, hostnames: undefined } };
};

test.before(async (t) => {
  const backend = await startBackend(all);
  const gateway = await startStandalone({
    'web.yaml': [
      ...serviceObjects('web', [backend.port]),
      routeObject('pub', 'pub.test', [marked('pub')]),
      routeObject('wild', '*.wild.test', [marked('wild')]),
      toAll('all'),
    ],
  });
  all.teardown(() => gateway.stop());
  t.context = { gateway, backend };
  for (const mark of ['pub.test', 'a.wild.test'])
    await untilFits(
      `${mark} to be served`,
      () => get(t.context, mark, '/ready'),
      ({ rule }) => rule !== undefined && rule !== 'all',
    );
});

const get = async ({ gateway }: World, host: string, path: string) => {
  const { status, headers } = await exchange(
    gateway.port,
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
  return { status, rule: headers.get('x-rule')?.[0] };
};

const rejected: readonly (readonly [title: string, host: string])[] = [
  ['two that differ', 'pub.test\r\nHost: other.test'],
  ['the same twice', 'pub.test\r\nHost: pub.test'],
  ['two in one', 'pub.test,other.test'],
  ['none in it', ''],
  ['a dot and nothing else', '.'],
  ['two dots at the end', 'pub.test..'],
  ['an empty label', 'a..wild.test'],
  ['a dot in front', '.wild.test'],
  ['a wildcard', '*.wild.test'],
  ['that of all routes', '*'],
  ['credentials in it', 'user@pub.test'],
  ['a port of letters', 'pub.test:x'],
  ['two ports', 'pub.test:80:80'],
  ['an escape', '%70ub.test'],
  ['a path in it', 'pub.test/x'],
  ['a query in it', 'pub.test?x'],
  ['a bar, which separates our own keys', 'pub.test|/x'],
];

for (const [index, [title, host]] of every(4, [...rejected.entries()])) {
  test(`Host, ${title}: 400 on every listener, and no backend sees it`, async (t) => {
    const path = `/rejected-${index}`;
    t.is((await get(t.context, host, path)).status, 400);
    t.deepEqual(await get(t.context, 'pub.test', `${path}-after`), { status: 200, rule: 'pub' });
    t.false(t.context.backend.requests.includes(path));
  });
}

/** Host, the rule that answers, and what the backend sees. */
const read: readonly (readonly [host: string, rule: string, seen: string])[] = [
  ['pub.test', 'pub', 'pub.test'],
  ['PUB.Test', 'pub', 'PUB.Test'],
  ['pub.test:8080', 'pub', 'pub.test:8080'],
  ['pub.test:', 'pub', 'pub.test:'],
  ['pub.test.', 'pub', 'pub.test'],
  ['PUB.test.:80', 'pub', 'PUB.test:80'],
  ['a.wild.test.', 'wild', 'a.wild.test'],
  ['a_b.wild.test', 'wild', 'a_b.wild.test'],
  ['other.test', 'all', 'other.test'],
  ['192.0.2.1', 'all', '192.0.2.1'],
  ['[2001:db8::1]:80', 'all', '[2001:db8::1]:80'],
];

test('whatever way a good Host is written in, route and backend see the same', async (t) => {
  const { backend } = t.context;
  for (const [index, [host, rule, seen]] of read.entries()) {
    const path = `/read-${index}`;
    t.deepEqual(await get(t.context, host, path), { status: 200, rule }, host);
    t.is(backend.seen[backend.requests.indexOf(path)]?.host, seen);
  }
});

test('a target with a host of its own counts for the route and the backend alike', async (t) => {
  const { gateway, backend } = t.context;
  for (const [index, target] of ['http://pub.test/', 'http://pub.test./', 'http://user@pub.test/'].entries()) {
    const bytes = `GET ${target}absolute-${index} HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n`;
    const { status, headers } = await exchange(gateway.port, bytes);
    t.is(status, 200);
    t.deepEqual(headers.get('x-rule'), ['pub']);
    t.is(backend.seen[backend.requests.indexOf(`/absolute-${index}`)]?.host, 'pub.test');
  }
});

/** Of HTTP/2: `:authority`, `host`, and the status; 0: the stream is reset. A good one is that of the backend too. */
const pairs: readonly (readonly [authority: string | undefined, host: string | undefined, status: number])[] = [
  ['pub.test', 'other.test', 200],
  ['pub.test', 'pub.test,other.test', 200],
  ['pub.test.', undefined, 200],
  [undefined, 'pub.test', 200],
  ['pub.test,other.test', undefined, 400],
  ['pub.test,other.test', 'pub.test', 400],
  ['user@pub.test', undefined, 0],
  ['*', undefined, 400],
  [undefined, 'pub.test,other.test', 400],
];

test('HTTP/2: a Host beside :authority counts for no route or backend, and a bad one is 400', async (t) => {
  const { gateway, backend } = t.context;
  for (const [index, [authority, host, status]] of pairs.entries()) {
    const path = `/h2-${index}`;
    const answer = await askH2(gateway.port, { ':path': path, ':authority': authority, host });
    t.is(answer.status, status, `${authority} ${host}`);
    t.is(backend.seen[backend.requests.indexOf(path)]?.host, status === 200 ? 'pub.test' : undefined);
    if (status === 200) t.is(answer.rule, 'pub');
  }
});

async function askH2(port: number, { ':authority': authority, ...headers }: OutgoingHttpHeaders) {
  const session = connectH2(`http://127.0.0.1:${port}`);
  try {
    return await new Promise<{ status: number; rule: string | undefined }>((resolve, reject) => {
      session.once('error', reject);
      session
        .request({ ...(authority !== undefined && { ':authority': authority }), ...headers })
        .once('error', reject)
        .once('close', () => resolve({ status: 0, rule: undefined }))
        .once('response', ({ ':status': status = 0, 'x-rule': rule }) => resolve({ status, rule: rule as string }))
        .end();
    });
  } finally {
    session.destroy();
  }
}

test('hostTrailingDot: Reject answers 400 for a dot at the end, and nothing else', async (t) => {
  const policy = {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'ListenerPolicy',
    metadata: { name: 'edge' },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
      headers: { hostTrailingDot: 'Reject' },
    },
  };
  const backend = await startBackend(t);
  const gateway = await startStandalone({
    'policy.yaml': [policy],
    'web.yaml': [
      ...serviceObjects('web', [backend.port]),
      routeObject('pub', 'pub.test', [marked('pub')]),
      toAll('all'),
    ],
  });
  t.teardown(() => gateway.stop());
  const world = { gateway, backend };
  await untilFits(
    'the route',
    () => get(world, 'pub.test', '/'),
    ({ rule }) => rule === 'pub',
  );
  for (const host of ['pub.test.', 'PUB.test.:80', 'other.test.'])
    t.is((await get(world, host, '/dot')).status, 400, host);
  t.is((await get(world, 'other.test', '/')).rule, 'all');
  t.false(backend.requests.includes('/dot'));
});
