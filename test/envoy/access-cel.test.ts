import test from 'ava';
import fc from 'fast-check';
import { readExpression } from '../../src/controllers/accesspolicy/parts/cel/index.ts';
import type * as ir from '../../src/ir/index.ts';
import { judgeAccess } from '../../src/offline/access/index.ts';
import { PasswordChecks } from '../../src/passwords/index.ts';
import { runCommand } from '../support/command.ts';
import { send, startBackend } from '../support/http.ts';
import { httpListener, route, snapshotOf, table, translateAll, virtualHost } from '../support/ir.ts';
import { startProxy } from '../support/ir-proxy.ts';
import { repetitions, thorough } from '../support/repetitions.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { signer } from '../support/tokens.ts';
import { until } from '../support/until.ts';

/* Conditions in CEL: what is let in by a real Envoy is what a route test says, and Envoy takes every expression that rules may have. */

const key = 'http/80';
const staff = signer('staff');
const provider = 'infra/edge/staff';
const claims = {
  iss: 'https://id.test',
  sub: 'ann',
  groups: ['ops', 'qa'],
  level: 3,
  admin: false,
  realm: { roles: ['admin'] },
};

const jwt: ir.Jwt = {
  optional: true,
  providers: [
    {
      id: provider,
      issuer: 'https://id.test',
      audiences: [],
      keys: JSON.stringify({ keys: [staff.jwk] }),
      from: [],
      forwardToken: false,
      claimsToHeaders: [],
      claimsRead: true,
    },
  ],
};

const text = fc.constantFrom('a', 'b', '', 'GET', '/one', 'ops', 'ann', "it's", 'ä');
const quoted = text.map((value) => JSON.stringify(value));
const pattern = fc.constantFrom(
  'a',
  '^a$',
  '^/one(/.*)?$',
  '[0-9]+',
  'a|b',
  '^.{1,3}$',
  '(?i)OPS',
  '\\\\d',
  'ä',
  '[^/]+$',
);
const value = fc.oneof(
  quoted,
  fc.constantFrom(
    ...['request.method', 'request.url_path', "request.headers['x-a']", 'request.headers.x', 'request.headers["X-B"]'],
    ...[
      'jwt.staff.sub',
      'jwt.staff.level',
      'jwt.staff.admin',
      'jwt.staff.nothing',
      "jwt['staff']['realm']['roles'][0]",
    ],
    ...['1', '3', '3.0', '-2', '2u', 'true', 'null', 'size(request.url_path)', 'jwt.staff.groups.size()'],
  ),
);
const list = fc.oneof(
  fc.array(quoted, { maxLength: 3 }).map((all) => `[${all.join(', ')}]`),
  fc.constantFrom('jwt.staff.groups', "jwt['staff'].realm.roles", 'jwt.staff', 'request.headers', 'jwt.staff.sub'),
);

/** What may be true, false, or go wrong. */
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.tuple(value, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), value).map((parts) => parts.join(' ')),
    fc
      .tuple(value, fc.constantFrom('startsWith', 'endsWith', 'contains'), value)
      .map(([a, name, b]) => `${a}.${name}(${b})`),
    fc.tuple(value, pattern).map(([a, b]) => `${a}.matches('${b}')`),
    fc.tuple(quoted, list).map((parts) => parts.join(' in ')),
    fc.constantFrom(
      'has(request.headers.x)',
      'has(jwt.staff)',
      'has(jwt.staff.realm.roles)',
      'has(jwt.staff.nothing)',
      'jwt.staff.admin',
    ),
    tie('condition').map((a) => `!(${a})`),
    fc
      .tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition'))
      .map(([a, op, b]) => `(${a}) ${op} (${b})`),
    fc.tuple(tie('condition'), tie('condition'), tie('condition')).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
  ),
}));

const read = (cel: string) => readExpression(cel, (name) => (name === 'staff' ? provider : undefined));

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
}

const sent: fc.Arbitrary<Sent> = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  path: fc.constantFrom('', '/one', '/two?a=b'),
  headers: fc.record(
    {
      'x-a': fc.constantFrom('a', 'ab', '12', 'b'),
      'x-b': fc.constantFrom('a', 'GET'),
      x: fc.constant('b'),
      authorization: fc.constant(`Bearer ${staff.token(claims)}`),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, string>>,
});

const rule = (cel: ir.Expression, index: number): ir.AuthorizationRule => ({
  id: `shop/rule-${index}`,
  action: 'Allow',
  when: [{ cel }],
});
const accessOf = (...rules: readonly ir.AuthorizationRule[]): ir.Access => ({
  jwt,
  authorization: { default: 'Deny', rules },
});

const expressionsAtOnce = repetitions({ few: 15, all: 40 });
const rounds = repetitions({ few: 1, all: 6 });

test('random expressions: Envoy takes each, and lets in whom a route test lets in', async (t) => {
  t.timeout(600_000);
  const web = await startBackend(t);
  const backends = { web: web.port };
  const content = (all: readonly ir.Expression[]) => ({
    listeners: [httpListener(key)],
    tables: [
      table(key, {
        exact: all.map((cel, index) =>
          virtualHost(`h${index}.test`, [
            route('all', '/', { filters: { access: { route: accessOf(rule(cel, index)) } } }),
          ]),
        ),
      }),
    ],
    backends,
  });
  const proxy = await startProxy(t, content([]));
  const port = await proxy.envoy.port(key);
  const seen = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const seed = 20_000 + round;
    const found = fc.sample(condition, { numRuns: 4 * expressionsAtOnce, seed }).flatMap((cel) => {
      const result = cel.length > 1024 ? undefined : read(cel);
      return result && 'expression' in result ? [{ cel, expression: result.expression }] : [];
    });
    const chosen = found.slice(0, expressionsAtOnce);
    t.is(chosen.length, expressionsAtOnce, `seed ${seed}`);
    const requests = fc.sample(sent, { numRuns: 12, seed });
    await proxy.apply(translateAll(snapshotOf(content(chosen.map(({ expression }) => expression)))));
    for (const [index, { cel, expression }] of chosen.entries()) {
      const access = { table: [], rule: { route: accessOf(rule(expression, index)) } };
      for (const { method, path, headers } of requests) {
        const { status, body } = await send(port, { host: `h${index}.test`, method, headers, path: path || '/' });
        const [plain = '', query] = (path || '/').split('?');
        const judged = await judgeAccess(access, {
          method,
          path: plain,
          ...(query !== undefined && { query }),
          header: (name) => (headers[name] === undefined ? [] : [headers[name]]),
          address: '127.0.0.1',
          now: new Date(),
          passwords: new PasswordChecks(),
        });
        const said = judged.verdict === 'passes' ? 200 : judged.status;
        if (said !== status)
          t.fail(
            `seed ${seed}, expression ${index}: ${cel}\n${JSON.stringify({ method, path, headers })}\nEnvoy ${status} ${body.slice(0, 200)}, said ${said}`,
          );
        seen.add(`${status}`);
      }
    }
  }
  t.deepEqual([...seen].sort(), ['200', '403']);
});

/** Of few parts, so that many are near the limit. */
const regex = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'a',
        '.',
        '[a-z]',
        '[^/]',
        '\\d',
        '\\w',
        '\\W',
        'ä',
        '(ab|cd)',
        '(?i:k)',
        '(?i:straße)',
        '\\pL',
        '[à-ü]',
        '^',
        '$',
        '\\.',
        '(?s:.)',
      ),
      fc
        .tuple(fc.constantFrom('a', '.', '[a-z]', '(abc|d)', '[^/]'), fc.integer({ min: 1, max: 60 }))
        .map(([part, times]) => `${part}{${times}}`),
      fc.constantFrom('.*', 'a+', '(a|b)?', '[^/]*?', '(?:ab)+'),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((parts) => parts.join(''));

thorough(test)('Envoy takes every regular expression that rules may have, up to the limit', async (t) => {
  t.timeout(600_000);
  const web = await startBackend(t);
  const backends = { web: web.port };
  const proxy = await startProxy(t, { listeners: [httpListener(key)], tables: [table(key, {})], backends });
  const tried = repetitions({ few: 600, all: 3_000 });
  const found = fc.sample(regex, { numRuns: tried, seed: 7 }).flatMap((pattern) => {
    const result = read(`request.url_path.matches(${JSON.stringify(pattern)})`);
    return 'expression' in result ? [result.expression] : [];
  });
  t.true(found.length > tried / 10, String(found.length));
  const hosts = found.map((cel, index) =>
    virtualHost(`h${index}.test`, [route('all', '/', { filters: { access: { route: accessOf(rule(cel, index)) } } })]),
  );
  // It throws what Envoy rejects.
  await proxy.apply(
    translateAll(snapshotOf({ listeners: [httpListener(key)], tables: [table(key, { exact: hosts })], backends })),
  );
  t.pass();
});

const policy = (name: string, kind: string, target: string, spec: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: target }], ...spec },
});
const allow = (...conditions: readonly string[]) => ({
  authorization: {
    rules: [{ name: 'r', action: 'Allow', any: conditions.map((cel) => ({ methods: ['GET', 'PUT'], cel })) }],
  },
});

thorough(test)(
  'the running program: claims that the Gateway verified decide at a route, and a bad expression closes its own route',
  async (t) => {
    t.timeout(600_000);
    const gateway = await startStandalone();
    t.teardown(() => gateway.stop());
    const jwks = { inline: JSON.stringify({ keys: [staff.jwk] }) };
    const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
    const edge = policy('edge', 'Gateway', 'edge', {
      jwt: { providers: [{ name: 'staff', issuer: 'https://id.test', jwks, forwardToken: true }] },
    });
    gateway.write(
      'web.yaml',
      ...(await gateway.backend('web')),
      routeObject('shop', '*.shop.test', toWeb),
      routeObject('other', 'other.test', toWeb),
    );
    const serve = (...conditions: readonly string[]) =>
      gateway.write('policies.yaml', edge, policy('shop', 'HTTPRoute', 'shop', allow(...conditions)));
    serve(
      "'ops' in jwt['default/edge/staff'].groups && request.url_path.matches('^/a')",
      "has(request.headers.glass) && 'default/edge/staff' in jwt",
    );
    const bearer = (groups: readonly string[]) => ({ authorization: `Bearer ${staff.token({ ...claims, groups })}` });
    const ask = async (headers: Record<string, string>, path = '/a', method = 'GET', host = 'late.shop.test') =>
      (await send(gateway.port, { host, headers, path, method })).status;
    await until('the rules to be in force', async () => (await ask(bearer(['qa']))) === 403);
    t.is(await ask(bearer(['ops'])), 200);
    t.is(await ask(bearer(['ops']), '/b'), 403);
    t.is(await ask(bearer(['ops']), '//x/../a'), 200);
    t.is(await ask(bearer(['ops']), '/a', 'POST'), 403);
    t.is(await ask({ ...bearer(['qa']), glass: '1' }, '/b'), 200);
    t.is(await ask({ glass: '1' }), 401);

    const { stdout } = await runCommand(
      ['route-test', 'http://x.shop.test/b', '-H', 'glass: 1', '--token', staff.token(claims)],
      {
        GATEWRIGHT_SERVER: `http://127.0.0.1:${gateway.control.ports.layout1}`,
      },
    );
    t.regex(stdout, /authorization +route +default\/shop +passes +rule default\/shop\/r allows it/);

    serve("request.method == 'GET' &&\n user.name == 'ann'");
    await until('the route to be closed', async () => (await ask(bearer(['ops']))) === 500);
    t.is(await ask(bearer(['ops']), '/a', 'GET', 'other.test'), 200);
    const status = gateway.control.graph.statusOf('AccessPolicy', 'default/shop');
    t.regex(
      JSON.stringify(status),
      /Invalid.*authorization rule r: cel 2:2: user is not available: known are request\.method/,
    );
    serve('true');
    await until('the route to be open', async () => (await ask(bearer(['qa']))) === 200);
  },
);
