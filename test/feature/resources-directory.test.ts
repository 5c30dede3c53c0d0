import { readFileSync } from 'node:fs';
import { chmod, readdir, readFile, symlink } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { z } from 'zod';
import { DirectoryResourceStore } from '../../src/admin/index.ts';
import * as schemas from '../../src/admin/managed-resources/record.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import { DirectoryHarness, route, validator } from '../unit/sources/directory-harness.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any answer
  readonly body: any;
}

interface World {
  readonly harness: DirectoryHarness;
  readonly admin: TestAdmin;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  text(file: string): string;
}

/** What the description of the API says of answers. */
const answers = z.union([schemas.resource.array(), schemas.dryRun, schemas.resource]);

/** The admin API over a directory; both end with the test. */
async function startWorld(t: ExecutionContext, files: Readonly<Record<string, string>> = {}): Promise<World> {
  const harness = await DirectoryHarness.create(files);
  t.teardown(() => harness[Symbol.asyncDispose]());
  await harness.start();
  const source = { live: harness.live() };
  const store = new DirectoryResourceStore({ source, validator: await validator });
  const admin = await startAdmin(undefined, { resources: store });
  t.teardown(() => admin.close());
  return {
    harness,
    admin,
    text: (file) => readFileSync(harness.path(file), 'utf8'),
    async send(method, path, body, headers = {}) {
      const isText = typeof body === 'string';
      const type = isText ? 'application/yaml' : 'application/json';
      const response = await admin.layout1(`/v1/resources${path}`, {
        method,
        headers: { ...(body !== undefined && { 'Content-Type': type }), ...headers },
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok && text !== '') answers.parse(JSON.parse(text));
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
  };
}

const routeBody = (name: string, hostname = 'shop.example') => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name, namespace: 'default' },
  spec: { parentRefs: [{ name: 'web' }], hostnames: [hostname] },
});

test('with a directory to write to, the API says that it can be written to', async (t) => {
  const { admin } = await startWorld(t);
  const kinds = (await (await admin.layout1('/v1/resource-kinds')).json()) as { kind: string; writable: boolean }[];
  t.true(kinds.find(({ kind }) => kind === 'HTTPRoute')?.writable);
  t.false(kinds.find(({ kind }) => kind === 'Service')?.writable);
  t.like(await (await admin.layout1('/v1/dashboard/capabilities')).json(), { managedResources: true, writes: true });
});

test('a route is created in a file of its own, read, listed, replaced and deleted', async (t) => {
  const { harness, send, text } = await startWorld(t, { 'other.yaml': route('other') });
  const created = await send('POST', '', routeBody('shop'));
  t.is(created.status, 201);
  t.like(created.body, {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    namespace: 'default',
    name: 'shop',
    generation: 1,
    labels: {},
    annotations: {},
    managed: true,
    resource: { spec: { parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'web' }] } },
  });
  t.deepEqual(Object.keys(created.body), [
    'apiVersion',
    'kind',
    'namespace',
    'name',
    'uid',
    'generation',
    'creationTimestamp',
    'labels',
    'annotations',
    'managed',
    'resource',
  ]);
  t.regex(created.body.creationTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.is(
    text('httproute.default.shop.yaml'),
    `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: shop
  namespace: default
spec:
  parentRefs:
    - name: web
  hostnames:
    - shop.example
`,
  );
  // Durable and reported before the answer.
  t.deepEqual(harness.object('HTTPRoute default/shop'), created.body.resource);
  t.deepEqual((await send('GET', '/httproute/default/shop')).body, created.body);
  t.deepEqual((await send('GET', '/HTTPRoutes/default/shop')).body, created.body);

  const listed = await send('GET', '');
  t.deepEqual(
    listed.body.map(({ name, managed }: { name: string; managed: boolean }) => [name, managed]),
    [
      ['other', false],
      ['shop', true],
    ],
  );
  t.is((await send('GET', '?kind=gtw')).body.length, 0);
  t.is((await send('GET', '?namespace=default&name=shop')).body.length, 1);

  const { resourceVersion } = created.body.resource.metadata;
  const next = { ...created.body.resource, spec: { ...created.body.resource.spec, hostnames: ['new.example'] } };
  const replaced = await send('PUT', '/httproute/default/shop', next);
  t.is(replaced.status, 200);
  t.is(replaced.body.generation, 2);
  t.not(replaced.body.resource.metadata.resourceVersion, resourceVersion);
  t.notRegex(text('httproute.default.shop.yaml'), /uid|resourceVersion|generation|creationTimestamp|status/);
  const stale = await send('PUT', '/httproute/default/shop', next);
  t.is(stale.status, 409);
  t.is(stale.body.error.code, 'resource_conflict');

  const deleted = await send('DELETE', '/httproute/default/shop');
  t.is(deleted.status, 200);
  t.deepEqual(deleted.body.resource.spec.hostnames, ['new.example']);
  t.deepEqual(await readdir(harness.directory), ['other.yaml']);
  for (const method of ['GET', 'DELETE'])
    t.is((await send(method, '/httproute/default/shop')).body.error.code, 'resource_not_found');
  t.is((await send('PUT', '/httproute/default/shop', routeBody('shop'))).status, 404);
});

test('a write changes one document of a file and leaves the others as they are', async (t) => {
  const more =
    '---\n# A class, kept by hand.\napiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name:   ours}\nspec: {controllerName: gatewright.dev/gateway-controller}\n';
  const commented = route('shop').replace('- shop.example', '- shop.example # the public name');
  const { harness, send, text } = await startWorld(t, { 'all.yaml': `${commented}${more}` });
  await chmod(harness.path('all.yaml'), 0o640);
  const current = (await send('GET', '/httproute/default/shop')).body.resource;
  const wanted = { ...current, spec: { ...current.spec, hostnames: ['shop.example', 'www.shop.example'] } };
  t.is((await send('PUT', '/httproute/default/shop', wanted)).status, 200);
  t.true(text('all.yaml').endsWith(more));
  t.regex(text('all.yaml'), /- shop\.example # the public name\n {4}- www\.shop\.example\n/);
  t.false((await send('GET', '/httproute/default/shop')).body.managed);

  const classAt = '/gatewayclasses/_cluster/ours';
  t.is((await send('GET', classAt)).body.namespace, '_cluster');
  t.is((await send('GET', '?namespace=_cluster')).body.length, 1);
  t.is((await send('DELETE', '/httproute/default/shop')).status, 200);
  t.is(text('all.yaml'), more);
  t.is((await send('DELETE', '/gc/_cluster/ours')).status, 200);
  t.deepEqual(await readdir(harness.directory), []);
});

test('an unchanged object is not written, and a dry run writes nothing and says what would change', async (t) => {
  const { harness, send, text } = await startWorld(t, { 'a.yaml': route('shop') });
  const before = text('a.yaml');
  const same = (await send('GET', '/httproute/default/shop')).body;
  const again = await send('POST', '', same.resource);
  t.is(again.status, 200);
  t.deepEqual(again.body, same);
  t.is(text('a.yaml'), before);

  const wanted = { ...same.resource, spec: { ...same.resource.spec, hostnames: ['a.example', 'b.example'] } };
  const dry = await send('POST', '?dryRun=true', wanted);
  t.is(dry.status, 200);
  t.like(dry.body, { dryRun: true, operation: 'updated', generation: 2 });
  t.deepEqual(dry.body.changes, [
    { path: 'spec.hostnames[0]', before: 'shop.example', after: 'a.example' },
    { path: 'spec.hostnames[1]', after: 'b.example' },
  ]);
  const created = await send('POST', '?dryRun=true', routeBody('new'));
  t.is(created.status, 200);
  t.is(created.body.operation, 'created');
  t.is((await send('PUT', '/httproute/default/shop?dryRun=true', wanted)).body.operation, 'updated');
  t.is((await send('DELETE', '/httproute/default/shop?dryRun=true')).body.operation, 'deleted');
  t.is(text('a.yaml'), before);
  t.deepEqual(await readdir(harness.directory), ['a.yaml']);
});

test('every cause of a rejection is reported, of the schema and of the rules', async (t) => {
  const { harness, send } = await startWorld(t);
  const spec = {
    parentRefs: [{ name: 'web', port: 99_999 }],
    hostnames: ['not a name'],
    ruls: [],
  };
  const schema = await send('POST', '', { ...routeBody('shop'), spec });
  t.is(schema.status, 422);
  t.is(schema.body.error.code, 'resource_invalid');
  t.deepEqual(schema.body.error.details.map(({ path }: { path: string }) => path).sort(), [
    'spec.hostnames[0]',
    'spec.parentRefs[0].port',
    'spec.ruls',
  ]);
  const twoFilters = { type: 'RequestRedirect', requestRedirect: { statusCode: 301 } };
  const rules = [{ filters: [twoFilters, twoFilters] }];
  const rule = await send('POST', '?dryRun=true', { ...routeBody('shop'), spec: { rules } });
  t.is(rule.status, 422);
  t.regex(JSON.stringify(rule.body.error.details), /RequestRedirect/);
  t.deepEqual(await readdir(harness.directory), []);
});

const at = '/httproute/default/shop';
const json = { 'Content-Type': 'application/json' };

type Rejected = readonly [code: string, status: number, method: string, path: string, body?: unknown, headers?: object];

const rejected: readonly Rejected[] = [
  ['body_malformed', 400, 'POST', '', '{"apiVersion": ', json],
  ['body_malformed', 400, 'POST', '', 'a: 1\n---\nb: 2\n'],
  ['body_malformed', 400, 'POST', '', 'a: ['],
  ['media_type_unsupported', 415, 'POST', ''],
  ['body_malformed', 400, 'POST', '', ' '],
  ['body_malformed', 400, 'POST', '', [routeBody('shop')]],
  ['body_malformed', 400, 'POST', '', { kind: 'HTTPRoute' }],
  ['body_malformed', 400, 'POST', '', '['.repeat(200_000)],
  ['body_malformed', 400, 'POST', '', `${'['.repeat(300)}${']'.repeat(300)}`, json],
  ['path_mismatch', 400, 'PUT', at, routeBody('other')],
  ['path_mismatch', 400, 'GET', '/httproute/_cluster/shop'],
  ['path_mismatch', 400, 'GET', '/gatewayclass/default/ours'],
  ['kind_unsupported', 400, 'POST', '', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }],
  ['kind_unsupported', 400, 'GET', '/secrets/default/s'],
  ['kind_unsupported', 400, 'GET', '?kind=pod'],
  ['query_invalid', 400, 'DELETE', `${at}?dryRun=maybe`],
  ['query_invalid', 400, 'POST', '?dryrun=true', routeBody('shop')],
  ['resource_not_found', 404, 'GET', '/httproute/default/..%2f..'],
  ['resource_invalid', 422, 'POST', '', { ...routeBody('../shop') }],
  ['resource_invalid', 422, 'POST', '', { ...routeBody('x'), apiVersion: 'gateway.networking.k8s.io/../v1' }],
  ['resource_invalid', 422, 'POST', '', { ...routeBody('x'), apiVersion: 'gateway.networking.k8s.io/v7' }],
  ['resource_conflict', 409, 'POST', '', { ...routeBody('x'), metadata: { name: 'x', resourceVersion: '1' } }],
  ['media_type_unsupported', 415, 'POST', '', routeBody('shop'), { 'Content-Type': 'text/plain' }],
  [
    'media_type_unsupported',
    415,
    'POST',
    '',
    routeBody('shop'),
    { 'Content-Type': 'application/json; charset=latin1' },
  ],
  ['media_type_unsupported', 415, 'POST', '', routeBody('shop'), { 'Content-Encoding': 'odd' }],
  ['body_too_large', 413, 'POST', '', { ...routeBody('x'), big: 'x'.repeat(1024 * 1024) }],
  ['origin_foreign', 403, 'DELETE', at, undefined, { Origin: 'https://evil.example' }],
  ['origin_foreign', 403, 'DELETE', at, undefined, { 'Sec-Fetch-Site': 'cross-site' }],
  ['host_foreign', 403, 'DELETE', at, undefined, { Host: 'evil.example:18081', Origin: 'http://evil.example:18081' }],
  ['method_not_allowed', 405, 'PATCH', at, routeBody('shop')],
];

test('what is rejected has its status and code, and changes nothing', async (t) => {
  const { harness, send, text } = await startWorld(t, { 'a.yaml': route('shop') });
  for (const [code, status, method, path, body, headers] of rejected) {
    const answer = await send(method, path, body, { ...headers });
    const what = `${method} ${path} ${JSON.stringify(body)?.slice(0, 80)} ${JSON.stringify(headers)}`;
    t.is(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`);
    t.is(answer.body.error.code, code, what);
  }
  t.deepEqual(await readdir(harness.directory), ['a.yaml']);
  t.is(text('a.yaml'), route('shop'));
});

test('a file that is wrong is fixed by a write, and one that is no YAML is left alone', async (t) => {
  const { harness, send, text } = await startWorld(t, { 'a.yaml': route('shop') });
  await harness.replace('a.yaml', route('shop', 'not a name'));
  const fixed = await send('POST', '', routeBody('shop', 'good.example'));
  t.is(fixed.status, 200);
  t.deepEqual(fixed.body.resource.spec.hostnames, ['good.example']);
  t.regex(text('a.yaml'), /good\.example/);

  await harness.replace('a.yaml', 'a: [\n');
  const rejection = await send('POST', '', routeBody('shop', 'new.example'));
  t.is(rejection.status, 409);
  t.regex(rejection.body.error.message, /a\.yaml: line \d: not valid YAML/);
  t.is(text('a.yaml'), 'a: [\n');
});

test('a link stays a link, and long names become safe file names', async (t) => {
  const { harness, send } = await startWorld(t);
  await harness.write('.kept/shop.yaml', route('shop'));
  await symlink(harness.path('.kept/shop.yaml'), harness.path('link.yaml'));
  await harness.recorder.until('the linked route', () => harness.recorder.objects.has('HTTPRoute default/shop'));
  t.is((await send('PUT', at, routeBody('shop', 'linked.example'))).status, 200);
  t.regex(await readFile(harness.path('.kept/shop.yaml'), 'utf8'), /linked\.example/);

  const long = `${'a'.repeat(60)}.`.repeat(4).slice(0, 240);
  t.is((await send('POST', '', routeBody(long))).status, 201);
  const name = (await readdir(harness.directory)).find((file) => file.startsWith('httproute.'));
  t.regex(String(name), /^httproute\.default\.[a.]+-[0-9a-f]{16}\.yaml$/);
  t.true(Buffer.byteLength(String(name)) <= 210);
  t.true((await send('GET', `/httproute/default/${long}`)).body.managed);
});

test('writes at the same time all happen, one after the other', async (t) => {
  const { send, text } = await startWorld(t, { 'a.yaml': `${route('one')}---\n${route('two')}` });
  // What is compiled for the first write would keep the others from being read in time.
  t.is((await send('POST', '?dryRun=true', routeBody('one'))).status, 200);
  const names = ['one', 'two', 'three', 'four', 'five'];
  const answers = await Promise.all(names.map((name) => send('POST', '', routeBody(name, `${name}.example`))));
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 201, 201, 201],
  );
  t.regex(text('a.yaml'), /one\.example.*---.*two\.example/s);
  t.is((await send('GET', '')).body.length, 5);
});

test('each write is one line of the log that says who, what and the result, and nothing of the body', async (t) => {
  const { admin, send } = await startWorld(t);
  await send(
    'POST',
    '',
    { ...routeBody('shop'), metadata: { name: 'shop', annotations: { token: 'hush-hush' } } },
    { 'X-Request-Id': 'write-1' },
  );
  await send('DELETE', '/httproute/default/nothing', undefined, { Authorization: 'Bearer hush-hush' });
  const lines = admin.logLines.filter((line) => line.includes('"audit":true')).map((line) => JSON.parse(line));
  t.is(lines.length, 2);
  t.like(lines[0], {
    method: 'POST',
    kind: 'HTTPRoute',
    namespace: 'default',
    name: 'shop',
    operation: 'created',
    dryRun: false,
    result: 'done',
    status: 201,
    peer: '127.0.0.1',
    with_token: false,
    request_id: 'write-1',
  });
  t.like(lines[1], { method: 'DELETE', name: 'nothing', result: 'resource_not_found', status: 404, with_token: true });
  t.false(admin.logLines.some((line) => line.includes('hush-hush')));
});

test('a body may be compressed', async (t) => {
  const { admin } = await startWorld(t);
  const body = gzipSync(JSON.stringify(routeBody('shop')));
  const headers = { ...json, 'Content-Encoding': 'gzip' };
  const response = await admin.layout1('/v1/resources', { method: 'POST', headers, body });
  t.is(response.status, 201);
});

test('a proposal that is nested deeper than any object is rejected, not a fault of ours', async (t) => {
  const { harness } = await startWorld(t);
  const store = new DirectoryResourceStore({ source: { live: harness.live() }, validator: await validator });
  const admin = await startAdmin(undefined, { resources: store });
  t.teardown(() => admin.close());
  const headers = { 'Content-Type': 'application/yaml' };
  const validate = (body: string) => admin.layout1('/v1/validate', { method: 'POST', headers, body });
  const deep = await validate(`a: ${'['.repeat(300)}${']'.repeat(300)}`);
  t.is(deep.status, 400);
  t.like(await deep.json(), { error: { code: 'body_malformed' } });
  // Whether the parser gives up, or finds first that nothing is closed, is for the size of the stack to say.
  const brackets = await validate('['.repeat(200_000));
  t.true(
    brackets.status === 400 || (brackets.status === 200 && !((await brackets.json()) as { valid: boolean }).valid),
  );
});

test('a page of an allowed origin may write, one of another may not', async (t) => {
  const { harness } = await startWorld(t);
  const store = new DirectoryResourceStore({ source: { live: harness.live() }, validator: await validator });
  const admin = await startAdmin(
    { allowedOrigins: ['https://console.example.com'], protect: [] },
    { resources: store },
  );
  t.teardown(() => admin.close());
  const write = (origin: string) =>
    admin.layout1('/v1/resources', {
      method: 'POST',
      headers: { ...json, Origin: origin, 'Sec-Fetch-Site': 'cross-site' },
      body: JSON.stringify(routeBody('shop')),
    });
  t.is((await write('https://evil.example.com')).status, 403);
  t.is((await write('https://console.example.com')).status, 201);
});
