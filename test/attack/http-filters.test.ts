import test from 'ava';
import { filteredHosts, filteredRoute, filterRef, httpFilter, plainHosts } from '../support/http-filters.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { thorough } from '../support/repetitions.ts';
import { startTrafficWorld, type TrafficWorld } from '../support/traffic-world.ts';

/* A tenant whose HTTPFilters ask for what is not his, and a stranger whose headers and paths would choose where requests go. */

const statusOf = async (world: TrafficWorld, host: string, path = '/') => (await world.ask(host, { path })).status;

/** Under `/0`, `/1` and so on one filter each. A route has 16 rules at most. */
const withEach = (specs: readonly object[]) => {
  const filters = specs.map((spec, index) => httpFilter(`f${index}`, spec));
  const routes = Array.from({ length: Math.ceil(specs.length / 15) }, (_, part) => {
    const rules = filters
      .slice(part * 15, part * 15 + 15)
      .map(({ metadata: { name } }) => [`/${name.slice(1)}`, [name]] as const);
    return { ...filteredRoute(Object.fromEntries(rules)), metadata: { name: `filtered-${part}` } };
  });
  return [...filters, ...routes];
};

test('no value of a header reads secrets, files or what filters keep for themselves: such rules answer 500, and no others', async (t) => {
  const world = await startTrafficWorld(t);
  const operators = [
    '%SECRET(default/tls)%',
    '%ENVIRONMENT(PATH)%',
    '%FILTER_STATE(envoy.string)%',
    '%DYNAMIC_METADATA(gatewright)%',
    '%METADATA(ROUTE:gw)%',
    "%CEL(request.headers['x'])%",
    '%FILE_CONTENT(/etc/passwd)%',
    '%REQ(x-gw-scope)%',
    '%REQ(X-GW-SCOPE?x-a)%',
    '%REQ(a)%%ENVIRONMENT(PATH)%',
    '%REQ(a):10%',
    '%RESP(x-a)%',
    '%req(a)%',
    '%constructor%',
    '%REQ(%',
    'a % b',
  ];
  const names = ['x-gw-scope', 'X-GW-a', 'Host', 'Transfer-Encoding', 'content-length', 'Connection', 'Upgrade'];
  const specs = [
    ...operators.map((value) => ({ headers: { request: { set: [{ name: 'x-leak', value }] } } })),
    ...names.map((name) => ({ headers: { request: { set: [{ name, value: 'a' }] } } })),
    ...names.map((name) => ({ headers: { response: { remove: [name] } } })),
    ...['x-', 'X-GW-', 'x-gw-scope', 'con', 'h', 't'].map((prefix) => ({
      headers: { request: { removeMatching: [{ prefix }] } },
    })),
    ...[
      '.*',
      'x-.*',
      '.+-scope',
      '(?-i:x)-gw-.*',
      '[^a]*',
      'X-G.-.*',
      'CONNECTION',
      '(?:host|x-a)',
      'u.*',
      '(?s).*',
      '(',
      '((a{100}){100}){100}',
    ].map((pattern) => ({
      headers: { request: { removeMatching: [{ pattern }] } },
    })),
    ...names.map((fromHeader) => ({ hostRewrite: { fromHeader } })),
    ...names.map((name) => ({ directResponse: { headers: [{ name, value: 'a' }] } })),
  ];
  await world.rule(...withEach(specs));
  for (const [index, spec] of specs.entries())
    t.is(await statusOf(world, 'f.test', `/${index}`), 500, JSON.stringify(spec));
  t.deepEqual(world.web.requests, []);
  for (const host of [...filteredHosts, ...plainHosts]) t.is(await statusOf(world, host), 200, host);
});

thorough(test)(
  'hostile expressions and substitutions close their own rules, and evil paths cost other requests nothing',
  async (t) => {
    const world = await startTrafficWorld(t);
    const hostile = [
      { pattern: '((a{100}){100}){100}', substitution: '' },
      { pattern: '(?:\\pL{50}){50}', substitution: '' },
      { pattern: '(a)\\1', substitution: '' },
      { pattern: '^/(?!a)', substitution: '' },
      { pattern: '(', substitution: '' },
      { pattern: 'a)|(b', substitution: '\\3' },
      { pattern: 'a', substitution: '\\1' },
      { pattern: 'a', substitution: '\\x' },
      { pattern: 'a', substitution: 'a\\' },
      { pattern: 'a', substitution: '/a?b' },
      { pattern: 'a', substitution: '/a b' },
      // What is left of `/go/.evil.test` would be a part of the host, and of `/go/http://evil.test/` a URL.
      { pattern: '^/go/(.*)', substitution: '\\1' },
      { pattern: '.*', substitution: 'evil.test' },
      { pattern: '[^a]', substitution: '' },
      { pattern: 'a*', substitution: 'b' },
      { pattern: '(?:x|/go)', substitution: '' },
      { pattern: 'a', substitution: '/a\r\nx: y' },
    ];
    const specs = [
      ...hostile.map((regexRewrite) => ({ regexRewrite })),
      ...hostile.map((regexRedirect) => ({ regexRedirect })),
      ...hostile.slice(0, 9).map((fromPathRegex) => ({ hostRewrite: { fromPathRegex } })),
    ];
    const slow = httpFilter('slow', { regexRewrite: { pattern: '(a|aa)+$', substitution: '\\0' } });
    await world.rule(...withEach(specs), slow, {
      ...filteredRoute({ '/slow': ['slow'] }),
      metadata: { name: 'filtered-slow' },
    });
    for (const [index, spec] of specs.entries()) {
      const status = await statusOf(world, 'f.test', `/${index}`);
      t.is(status, 500, JSON.stringify(spec));
    }
    const evil = `/slow/${'a'.repeat(8_000)}!`;
    t.deepEqual(
      await Promise.all(Array.from({ length: 16 }, () => statusOf(world, 'f.test', evil))),
      Array.from({ length: 16 }, () => 200),
    );
    for (const host of [...filteredHosts, ...plainHosts]) t.is(await statusOf(world, host), 200, host);
  },
);

thorough(test)('a hostile expression for cookies leaves its rule out, and requests find the next one', async (t) => {
  const world = await startTrafficWorld(t);
  const patterns = ['((a{100}){100}){100}', '(?:\\pL{50}){50}', '(a)\\1', '(?!a)', '('];
  await world.rule(
    ...withEach(patterns.map((value) => ({ cookieMatch: { name: 'a', type: 'RegularExpression', value } }))),
  );
  for (const host of filteredHosts)
    for (const [index, pattern] of patterns.entries()) t.is(await statusOf(world, host, `/${index}`), 200, pattern);
});

test('no header of a stranger chooses Host, however often and however it is written', async (t) => {
  const world = await startTrafficWorld(t);
  await world.rule(
    httpFilter('by-header', { hostRewrite: { fromHeader: 'x-target' } }),
    filteredRoute({ '/h': ['by-header'] }),
  );
  const forged = [
    ['X-Target: evil.test'],
    ['x-target: evil.test', 'X-TARGET: evil2.test'],
    ['x-target: evil.test, evil2.test'],
    ['X-Target:evil.test', 'Connection: x-target'],
    ['x-target:'],
  ];
  for (const host of filteredHosts)
    for (const lines of forged) {
      const { status } = await exchange(world.port, rawRequest('/h', [`Host: ${host}`, ...lines]));
      t.is(status, 200, lines.join());
      const seen = world.web.seen.at(-1);
      t.is(seen?.host, host, lines.join());
      t.is(seen?.['x-target'], undefined);
    }
});

thorough(test)(
  'a filter of another namespace, or of another kind with its name, does nothing for a rule',
  async (t) => {
    const world = await startTrafficWorld(t);
    const other = {
      ...filterRef('theirs'),
      extensionRef: { group: 'gatewright.dev', kind: 'TrafficPolicy', name: 'theirs' },
    };
    const backendRefs = [{ name: 'web', port: 80 }];
    await world.rule(
      httpFilter('theirs', { directResponse: { status: 418 } }, 'tenant'),
      filteredRoute({ '/named': ['theirs'] }, [
        { matches: [{ path: { value: '/kind' } }], filters: [other], backendRefs },
      ]),
    );
    for (const host of filteredHosts) {
      t.is(await statusOf(world, host, '/named'), 500);
      t.is(await statusOf(world, host, '/kind'), 500);
      t.is(await statusOf(world, host), 200);
    }
  },
);
