import test from 'ava';
import {
  filteredHosts,
  filteredRoute,
  filterRef,
  httpFilter,
  plainHosts,
  secretObject,
} from '../support/http-filters.ts';
import { thorough } from '../support/repetitions.ts';
import { startTrafficWorld } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';

/** HTTPFilters of rules, through the running program with a real Envoy. */

test('a path is rewritten by an expression wherever it matches, and the query is kept', async (t) => {
  const world = await startTrafficWorld(t);
  await world.rule(
    httpFilter('users', { regexRewrite: { pattern: '^/users/([0-9]+)', substitution: '/u/\\1' } }),
    httpFilter('dashes', { regexRewrite: { pattern: '_', substitution: '-' } }),
    filteredRoute({ '/users': ['users'], '/d': ['dashes'] }),
  );
  const pathOf = async (host: string, path: string) => {
    t.is((await world.ask(host, { path })).status, 200);
    return world.web.requests.at(-1);
  };
  for (const host of filteredHosts) {
    t.is(await pathOf(host, '/users/12/orders?a=/users/1'), '/u/12/orders?a=/users/1', host);
    t.is(await pathOf(host, '/users/x'), '/users/x', 'where it matches nothing');
    t.is(await pathOf(host, '/d/a_b_c?a_b'), '/d/a-b-c?a_b', 'all that matches');
    t.is(await pathOf(host, '/other_path'), '/other_path', 'the neighbour rule');
  }
  for (const host of plainHosts) t.is(await pathOf(host, '/users/12'), '/users/12', host);
});

thorough(test)('a redirect by an expression keeps what it does not change, with the query or without it', async (t) => {
  const world = await startTrafficWorld(t);
  const pattern = '^/old/(.*)\\.php$';
  await world.rule(
    httpFilter('path', { regexRedirect: { pattern, substitution: '/new/\\1', statusCode: 308 } }),
    httpFilter('all', {
      regexRedirect: {
        pattern: '^/all/',
        substitution: '/',
        scheme: 'https',
        hostname: 'new.test',
        port: 8443,
        stripQuery: true,
      },
    }),
    filteredRoute({ '/old': ['path'], '/all': ['all'] }),
  );
  for (const host of filteredHosts) {
    const own = host.split(':')[0]?.toLowerCase();
    const { status, headers } = await world.ask(host, { path: '/old/a/b.php?c=/old/d.php' });
    t.is(status, 308, host);
    t.is(headers.location?.toLowerCase(), `http://${own}:${world.port}/new/a/b?c=/old/d.php`);
    const all = await world.ask(host, { path: '/all/a?b' });
    t.like(all, { status: 302 });
    t.is(all.headers.location, 'https://new.test:8443/a');
    t.is((await world.ask(host, { path: '/other' })).status, 200);
  }
  t.true(world.web.requests.every((path) => path === '/other'));
});

thorough(test)('Host is what the path says, or a header that others than clients write', async (t) => {
  const world = await startTrafficWorld(t);
  await world.rule(
    httpFilter('by-path', {
      hostRewrite: { fromPathRegex: { pattern: '/p/([a-z]+)(/.*)?', substitution: '\\1.in.test' } },
    }),
    httpFilter('by-header', { hostRewrite: { fromHeader: 'X-Target' } }),
    httpFilter('chosen', { headers: { request: { set: [{ name: 'x-target', value: 'chosen.test' }] } } }),
    filteredRoute({ '/p': ['by-path'], '/h': ['by-header', 'chosen'], '/none': ['by-header'] }),
  );
  const hostOf = async (host: string, path: string, headers = {}) => {
    t.is((await world.ask(host, { path, headers })).status, 200);
    return world.web.seen.at(-1)?.host;
  };
  const forged = { 'X-Target': 'evil.test' };
  for (const host of filteredHosts) {
    t.is(await hostOf(host, '/p/team/x?y=1'), 'team.in.test', host);
    t.is(await hostOf(host, '/p/TEAM'), '.in.test', 'a path that does not fit');
    t.is(await hostOf(host, '/h', forged), 'chosen.test');
    t.is(await hostOf(host, '/none', forged), host);
    t.is(world.web.seen.at(-1)?.['x-target'], undefined);
    t.is(await hostOf(host, '/', forged), host);
    t.is(world.web.seen.at(-1)?.['x-target'], 'evil.test', 'the neighbour rule has its header');
  }
});

thorough(test)(
  'backends get the Host that a filter replaces in X-Forwarded-Host, and none that a client wrote there',
  async (t) => {
    const world = await startTrafficWorld(t);
    const fromPathRegex = { pattern: '/p/([a-z]+)(/.*)?', substitution: '\\1.in.test' };
    await world.rule(
      httpFilter('by-path', { hostRewrite: { fromPathRegex, forwardedHost: true } }),
      httpFilter('by-header', { hostRewrite: { fromHeader: 'X-Forwarded-Host', forwardedHost: true } }),
      httpFilter('silent', { hostRewrite: { fromPathRegex: { ...fromPathRegex, pattern: '/s/([a-z]+)' } } }),
      filteredRoute({ '/p': ['by-path'], '/h': ['by-header'], '/s': ['silent'] }),
    );
    const seenAt = async (host: string, path: string) => {
      t.is((await world.ask(host, { path, headers: { 'X-Forwarded-Host': 'evil.test' } })).status, 200);
      const { host: seen, 'x-forwarded-host': forwarded } = world.web.seen.at(-1) ?? {};
      return [seen, forwarded];
    };
    for (const host of filteredHosts) {
      t.deepEqual(await seenAt(host, '/p/team'), ['team.in.test', host]);
      t.deepEqual(await seenAt(host, '/h'), [host, undefined], 'without the header Host stays');
      t.deepEqual(await seenAt(host, '/s/team'), ['team.in.test', 'evil.test'], 'a filter that says nothing of it');
      t.deepEqual(await seenAt(host, '/'), [host, 'evil.test'], 'the neighbour rule');
    }
  },
);

thorough(test)('a direct response is the proxy’s own, with the text of the filter or of a ConfigMap', async (t) => {
  const world = await startTrafficWorld(t);
  const page = (body: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'page' }, data: { body } });
  const filters = [
    httpFilter('inline', {
      directResponse: {
        status: 403,
        contentType: 'application/json',
        headers: [{ name: 'X-Why', value: '100% %REQ(host)%' }],
        body: '{"a":"%REQ(host)%"}',
      },
    }),
    httpFilter('stored', { directResponse: { contentType: 'text/html', configMapRef: { name: 'page' } } }),
    httpFilter('empty', { directResponse: { status: 204 } }),
  ];
  const route = filteredRoute({ '/inline': ['inline'], '/stored': ['stored'], '/empty': ['empty'] });
  await world.rule(...filters, page('<b>one</b>'), route);
  for (const host of filteredHosts) {
    const { status, headers, body } = await world.ask(host, { path: '/inline' });
    t.is(status, 403, host);
    t.is(body, '{"a":"%REQ(host)%"}');
    t.is(headers['content-type'], 'application/json');
    t.is(headers['x-why'], '100% %REQ(host)%');
    t.like(await world.ask(host, { path: '/stored' }), { status: 200, body: '<b>one</b>' });
    t.like(await world.ask(host, { path: '/empty' }), { status: 204, body: '' });
    t.is((await world.ask(host, { path: '/inline', method: 'HEAD' })).body, '');
  }
  t.deepEqual(world.web.requests, [], 'no backend is asked');
  await world.rule(...filters, page('<b>two</b>'), route);
  t.like(await world.ask('f.test', { path: '/stored' }), { status: 200, body: '<b>two</b>' });
  const long = 'x'.repeat(65_536);
  await world.rule(...filters, page(long), route);
  for (const host of filteredHosts) t.like(await world.ask(host, { path: '/stored' }), { status: 200, body: long });
  await world.rule(...filters, page(`${long}x`), route);
  t.is((await world.ask('f.test', { path: '/stored' })).status, 500, 'a body that is too long');
  t.is((await world.ask('f.test', { path: '/inline' })).status, 403, 'the neighbour rule');
});

test('headers of requests and answers are set, added, kept and removed', async (t) => {
  const world = await startTrafficWorld(t, (_, response) => {
    response.setHeader('x-powered-by', 'node');
    response.setHeader('x-debug-a', '1');
    response.setHeader('X-Hidden', '1');
    response.setHeader('x-hidden-not', '1');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-version', '7');
    response.end();
  });
  await world.rule(
    httpFilter('edits', {
      headers: {
        request: {
          set: [
            { name: 'X-Client', value: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT% %REQ(x-user)% 5%%' },
            { name: 'x-nothing', value: '%REQ(x-missing)%' },
            { name: 'x-path', value: '%REQ(:path)% %PROTOCOL%' },
          ],
          add: [{ name: 'x-via', value: 'edge' }],
          ifAbsent: [
            { name: 'x-user', value: 'anonymous' },
            { name: 'x-team', value: 'none' },
          ],
          remove: ['X-Old'],
          removeMatching: [{ prefix: 'X-Internal-' }, { pattern: 'X-(?:Trace|Span)-[a-z]+' }],
        },
        response: {
          set: [{ name: 'x-from', value: 'version %RESP(x-version)% for %REQ(x-user)%' }],
          ifAbsent: [{ name: 'Cache-Control', value: 'max-age=60' }],
          remove: ['x-powered-by'],
          removeMatching: [{ prefix: 'x-debug-' }, { pattern: 'x-secret|x-hidden' }],
        },
      },
    }),
    filteredRoute({ '/edited': ['edits'] }),
  );
  const headers = {
    'x-user': 'ann',
    'x-via': 'a',
    'x-old': '1',
    'x-internal-a': '1',
    'X-INTERNAL-B': '1',
    'X-TRACE-id': '1',
    'x-trace-1': '1',
  };
  for (const host of filteredHosts) {
    const answer = await world.ask(host, { path: '/edited?a=1', headers });
    const seen = world.web.seen.at(-1) ?? {};
    t.like(seen, {
      'x-client': '127.0.0.1 ann 5%',
      'x-path': '/edited?a=1 HTTP/1.1',
      'x-via': 'a, edge',
      'x-user': 'ann',
      'x-team': 'none',
    });
    for (const name of ['x-old', 'x-internal-a', 'x-internal-b', 'x-nothing', 'x-trace-id'])
      t.is(seen[name], undefined, name);
    t.is(seen['x-trace-1'], '1', 'what matches in part');
    t.like(answer.headers, { 'x-from': 'version 7 for ann', 'cache-control': 'no-store' });
    t.is(answer.headers['x-hidden-not'], '1');
    for (const name of ['x-powered-by', 'x-debug-a', 'x-hidden']) t.is(answer.headers[name], undefined, name);
    const plain = await world.ask(host, { headers });
    t.like(plain.headers, { 'x-powered-by': 'node', 'x-debug-a': '1' });
    t.like(world.web.seen.at(-1), { 'x-old': '1', 'x-internal-a': '1', 'x-via': 'a' });
  }
  for (const host of plainHosts) t.is((await world.ask(host, { path: '/edited' })).headers['x-from'], undefined);
});

test('backends get a credential in place of the client’s, which changes with its Secret and without the routes', async (t) => {
  const world = await startTrafficWorld(t);
  const secret = (credential: string) => secretObject('token', { credential });
  const filter = httpFilter('inject', { credentialInjection: { prefix: 'Bearer ', secretRef: { name: 'token' } } });
  const other = httpFilter('key', {
    credentialInjection: { header: 'X-Api-Key', secretRef: { name: 'keys', key: 'shop' } },
  });
  const keys = secretObject('keys', { shop: 'key-of-shop' }, { labels: { 'gatewright.dev/credentials': 'true' } });
  const route = filteredRoute({ '/in': ['inject'], '/key': ['key'] });
  await world.rule(filter, other, secret('one\n'), keys, route);
  const seen = async (host: string, path: string, headers = {}) => {
    const { status } = await world.ask(host, { path, headers });
    return status === 200 ? world.web.seen.at(-1) : { status: String(status) };
  };
  const own = { authorization: 'Basic client', 'x-api-key': 'mine' };
  for (const host of filteredHosts) {
    t.is((await seen(host, '/in'))?.authorization, 'Bearer one', host);
    t.like(await seen(host, '/in', own), { authorization: 'Bearer one', 'x-api-key': 'mine' });
    t.like(await seen(host, '/key', own), { authorization: 'Basic client', 'x-api-key': 'key-of-shop' });
    t.like(await seen(host, '/other', own), own, 'the neighbour rule');
  }
  for (const host of plainHosts) t.like(await seen(host, '/in', own), own);
  await world.rule(filter, other, secret('two'), keys, route);
  for (const host of filteredHosts)
    await untilFits(
      'the new credential',
      async () => (await seen(host, '/in', own))?.authorization,
      (value) => value === 'Bearer two',
    );
  await world.rule(filter, other, secretObject('token', { another: 'three' }), keys, route);
  for (const host of filteredHosts) {
    t.like(await seen(host, '/in', own), { status: '500' }, host);
    t.like(await seen(host, '/key', own), { 'x-api-key': 'key-of-shop' }, 'the neighbour rule');
  }
  await world.rule(filter, other, secret('four'), keys, route);
  for (const host of filteredHosts)
    await untilFits(
      'the credential that is back',
      async () => (await seen(host, '/in', own))?.authorization,
      (value) => value === 'Bearer four',
    );
});

thorough(test)('a cookie is a part of the match, and counts as a header', async (t) => {
  const world = await startTrafficWorld(t);
  const beta = {
    matches: [{ path: { value: '/shop' } }, { path: { value: '/shop' }, headers: [{ name: 'x-a', value: '1' }] }],
    filters: [filterRef('beta'), filterRef('by-cookie')],
    backendRefs: [{ name: 'web', port: 80 }],
  };
  const ruled = (cookieMatch: object) => [
    httpFilter('beta', { cookieMatch: { name: 'beta', ...cookieMatch } }),
    httpFilter('by-cookie', { headers: { response: { set: [{ name: 'x-rule', value: 'beta' }] } } }),
    httpFilter('by-rest', { headers: { response: { set: [{ name: 'x-rule', value: 'rest' }] } } }),
    filteredRoute({ '/shop': ['by-rest'] }, [beta]),
  ];
  await world.rule(...ruled({ value: '1' }));
  const ruleOf = async (host: string, cookie: string | undefined, more = {}) =>
    (await world.ask(host, { path: '/shop', headers: { ...(cookie && { cookie }), ...more } })).headers['x-rule'];
  for (const host of filteredHosts) {
    for (const cookie of ['beta=1', 'a=b; beta=1', 'beta=1; c=d']) t.is(await ruleOf(host, cookie), 'beta', cookie);
    for (const cookie of ['beta=12', 'beta=', 'xbeta=1', 'Beta=1', 'a="beta=1"', 'a=beta=1', undefined])
      t.is(await ruleOf(host, cookie), 'rest', cookie);
    t.is(await ruleOf(host, 'beta=1', { 'x-a': '1' }), 'beta');
  }
  await world.rule(...ruled({ type: 'RegularExpression', value: '[1-9]' }));
  for (const host of filteredHosts) {
    for (const cookie of ['beta=1', 'a=b; beta=7']) t.is(await ruleOf(host, cookie), 'beta', cookie);
    for (const cookie of ['beta=0', 'beta=12', undefined]) t.is(await ruleOf(host, cookie), 'rest', cookie);
  }
});

thorough(test)(
  'a filter that is not there answers 500 for its rule alone, and comes in without a change of the route',
  async (t) => {
    const world = await startTrafficWorld(t);
    const route = filteredRoute({ '/late': ['late'] });
    await world.rule(route);
    for (const host of filteredHosts) {
      t.is((await world.ask(host, { path: '/late' })).status, 500, host);
      t.is((await world.ask(host)).status, 200, host);
    }
    await world.rule(route, httpFilter('late', { directResponse: { status: 418 } }));
    for (const host of filteredHosts) t.is((await world.ask(host, { path: '/late' })).status, 418, host);
    await world.rule(route, httpFilter('late', { directResponse: { status: 451 } }));
    t.is((await world.ask('f.test', { path: '/late' })).status, 451);
  },
);
