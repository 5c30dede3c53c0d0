import type { IncomingMessage, ServerResponse } from 'node:http';
import test from 'ava';
import { processedBy } from '../support/extension-world.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import { filterRef, httpFilter, secretObject } from '../support/http-filters.ts';
import { headersOf, passing, setting } from '../support/processor.ts';
import { hosts, own, places, startSlots, target } from '../support/slot-world.ts';
import { unseenGroups } from '../support/traffic-groups.ts';
import { neighbours, trafficPolicy } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';

/**
 * What access policies, limits and filters of rules do where all slots are full at once, however the host is found. As slots.test.ts, it guards each update of Envoy.
 */

const user = { 'x-key': 'a' };
const origin = 'https://a.test';

/** Lets in what has no `x-NAME: no`, and says so to the backend. */
const serverOf = (name: string) => (request: IncomingMessage, response: ServerResponse) => {
  const status = request.headers[`x-${name}`] === 'no' ? 403 : 200;
  response.writeHead(status, { [`x-${name}-said`]: 'yes' }).end();
};

/** One request a bucket, of those that have its header; requests of each host count by themselves. */
const bucketsOf = (name: string) => [
  {
    name,
    key: [{ type: 'Header', name: `x-${name}` }],
    absent: 'Exempt',
    limits: [{ requests: 1, per: '60s' }],
  },
];

test('access, limits and filters of rules act on their route and no other where all slots are full', async (t) => {
  const servers = { guard: await startBackend(t, serverOf('guard')), auth: await startBackend(t, serverOf('auth')) };
  const labels = { 'gatewright.dev/credentials': 'true' };
  const limits = { early: { phase: 'BeforeAuth' }, late: {}, shared: { counting: 'Shared' } };
  const named = (name: string, object: { readonly metadata: object }) => ({ ...object, metadata: { name } });
  const objects = [
    ...Object.entries(servers).flatMap(([name, { port }]) => serviceObjects(name, [port])),
    secretObject('keys', { ann: 'a' }, { labels }),
    secretObject('token', { credential: 'hidden' }),
    own('AccessPolicy', {
      clientIPs: { allow: ['127.0.0.0/8'] },
      csrf: { additionalOrigins: ['a.test'] },
      apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-key' }], identityHeader: 'x-client' },
      authorization: {
        default: 'Allow',
        rules: [{ name: 'deleting', action: 'Deny', when: { methods: ['DELETE'] } }],
      },
      forwardAuth: {
        backendRef: { name: 'auth', port: 80 },
        http: { requestHeaders: ['x-auth'], toBackend: ['x-auth-said'] },
      },
    }),
    ...Object.entries(limits).map(([name, more]) =>
      named(name, own('RateLimitPolicy', { ...more, buckets: bucketsOf(name) })),
    ),
    named('once', own('RateLimitPolicy', { buckets: [{ name: 'once', concurrent: 100 }] })),
    httpFilter('edits', {
      headers: {
        request: { set: [{ name: 'x-target', value: 'chosen.test' }] },
        response: { set: [{ name: 'x-edited', value: 'yes' }] },
      },
    }),
    httpFilter('host', { hostRewrite: { fromHeader: 'x-target', forwardedHost: true } }),
    httpFilter('token', { credentialInjection: { secretRef: { name: 'token' } } }),
    ...places.map((name) => processedBy('unseen', target, {}, { name })),
    trafficPolicy('web', target, unseenGroups),
  ];
  const guard = {
    type: 'ExternalAuth',
    externalAuth: {
      protocol: 'HTTP',
      backendRef: { name: 'guard', port: 80 },
      http: { allowedHeaders: ['x-guard'], allowedResponseHeaders: ['x-guard-said'] },
    },
  };
  const world = await startSlots(t, {
    isFull: true,
    reply: (message) => {
      if (message.request.case !== 'responseHeaders') return passing(message);
      const { 'x-processed': before = '' } = headersOf(message.request.value.headers);
      return setting(message, { 'x-processed': `${before}1` });
    },
    objects,
    filters: [guard, ...['edits', 'host', 'token'].map(filterRef)],
  });
  const ask = (host: string, path: string, more: object = {}, method = 'GET') =>
    world.ask(host, { path, method, headers: { ...user, ...more } });
  await untilFits(
    'all of it',
    () => ask('a.test', '/'),
    ({ headers }) => headers['x-processed'] === '11',
  );
  for (const host of hosts)
    for (const path of ['/', '/special']) {
      const where = host + path;
      const { status, headers } = await ask(host, path, { 'x-target': 'evil.test', 'x-auth-said': 'forged', origin });
      t.is(status, 200, where);
      t.like(headers, { 'x-processed': '11', 'x-edited': 'yes', 'access-control-allow-origin': origin }, where);
      t.regex(String(headers['set-cookie']), /here=/, where);
      t.like(world.web.seen.at(-1), {
        host: 'chosen.test',
        'x-forwarded-host': host,
        'x-client': 'ann',
        'x-auth-said': 'yes',
        'x-guard-said': 'yes',
        authorization: 'hidden',
      });
      t.is(world.web.seen.at(-1)?.['x-key'], undefined, where);
      const asked = world.web.requests.length;
      const denied: readonly (readonly [status: number, headers: object, method?: string])[] = [
        [401, { 'x-key': 'b' }],
        [403, {}, 'DELETE'],
        [403, { origin: 'https://evil.test' }, 'POST'],
        [403, { 'x-auth': 'no' }],
        [403, { 'x-guard': 'no' }],
      ];
      for (const [expected, more, method] of denied)
        t.is((await ask(host, path, more, method)).status, expected, `${where} ${JSON.stringify(more)} ${method}`);
      for (const name of Object.keys(limits)) {
        const more = { [`x-${name}`]: where };
        const statuses = [await ask(host, path, more), await ask(host, path, more)].map((answer) => answer.status);
        t.deepEqual(statuses, [200, 429], `${where} ${name}`);
      }
      t.is(world.web.requests.length, asked + 3, where);
      const preflight = { origin, 'access-control-request-method': 'PUT', 'x-key': '' };
      t.like(await ask(host, path, preflight, 'OPTIONS'), { status: 200, body: '' }, where);
    }
  for (const host of neighbours) {
    const { status, headers } = await ask(host, '/', {
      'x-target': 'own',
      'x-key': 'b',
      'x-guard': 'no',
      'x-auth': 'no',
    });
    t.is(status, 200, host);
    t.deepEqual(
      [headers['x-processed'], headers['x-edited'], headers['set-cookie']?.length],
      [undefined, undefined, 2],
    );
    t.like(world.web.seen.at(-1), { host, 'x-target': 'own', 'x-key': 'b' });
    t.is(world.web.seen.at(-1)?.authorization, undefined, host);
  }
});
