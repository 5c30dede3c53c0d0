import test from 'ava';
import { runCommand } from '../support/command.ts';
import { filterRef, httpFilter } from '../support/http-filters.ts';
import { routeObject } from '../support/standalone.ts';
import { startTrafficWorld, trafficPolicy } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';

/** What does not act on redirects and on answers that the proxy has itself, and where that is said, through the running program with a real Envoy. */

const origin = 'https://page.test';
const target = { name: 'own' };

test('redirects and direct responses have no CORS, no shared limit and no retries, which status, describe and route-test say', async (t) => {
  const cors = { type: 'CORS', cors: { allowOrigins: [origin] } };
  const redirect = { type: 'RequestRedirect', requestRedirect: { hostname: 'elsewhere.test' } };
  const backendRefs = [{ name: 'web', port: 80 }];
  const rule = (name: string, more: object) => ({ name, matches: [{ path: { value: `/${name}` } }], ...more });
  const limit = {
    ...trafficPolicy('limit', target, {
      counting: 'Shared',
      buckets: [{ name: 'b', key: [{ type: 'Path' }], limits: [{ requests: 1, per: '1h' }] }],
    }),
    kind: 'RateLimitPolicy',
  };
  const world = await startTrafficWorld(t, undefined, {
    'own.yaml': [
      httpFilter('page', { directResponse: { status: 418, headers: [{ name: 'x-page', value: 'yes' }] } }),
      routeObject('own', 'own.test', [
        rule('direct', { filters: [filterRef('page'), cors] }),
        rule('redirect', { filters: [redirect, cors] }),
        rule('forward', { filters: [cors], backendRefs }),
      ]),
    ],
  });
  await world.rule(limit, trafficPolicy('retries', target, { retry: { attempts: 1 }, compression: {} }));
  const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'PUT' } };
  const ask = async (path: string, more: object) => {
    const { status, headers } = await world.ask('own.test', { path, ...more });
    return [status, headers['access-control-allow-origin']];
  };
  for (const [path, status] of [
    ['/direct', 418],
    ['/redirect', 302],
  ] as const) {
    for (const more of [{}, {}, { headers: { origin } }, preflight])
      t.deepEqual(await ask(path, more), [status, undefined], path);
  }
  t.deepEqual(await ask('/forward', preflight), [200, origin]);
  t.deepEqual(await ask('/forward', { headers: { origin } }), [200, origin]);
  await untilFits(
    'the limit',
    () => ask('/forward', { headers: { origin } }),
    ([status]) => status === 429,
  );
  t.deepEqual(
    await ask('/forward', { headers: { origin } }),
    [429, origin],
    'of rules that forward, rejections have it too',
  );

  const env = { GATEWRIGHT_SERVER: `http://127.0.0.1:${world.control.ports.layout1}` };
  const described = await runCommand(['describe', 'httproute/default/own'], env);
  for (const name of ['direct', 'redirect'])
    t.regex(
      described.stdout,
      new RegExp(`rule ${name}: retry .*: left out: the proxy answers requests of this rule itself`),
    );
  t.regex(described.stdout, /rule forward: retry .*: in force/);
  t.regex(
    described.stdout,
    /rule direct: b 1 per 3600 s.*the proxy answers requests of this rule itself, and asks about none/,
  );
  const policy = await runCommand(['describe', 'ratelimitpolicy/default/limit'], env);
  t.regex(
    policy.stdout,
    /not counted, .*: rule direct of HTTPRoute default\/own, rule redirect of HTTPRoute default\/own/,
  );
  const tested = await runCommand(['route-test', `own.test:${world.port}/direct`], env);
  t.regex(tested.stdout, /policy {3}compression/);
  t.notRegex(tested.stdout, /retry|cors|limit /);
  const forwarded = await runCommand(['route-test', `own.test:${world.port}/forward`], env);
  t.regex(forwarded.stdout, /"cors"/);
  t.regex(forwarded.stdout, /policy {3}retry/);
  t.regex(forwarded.stdout, /limit {4}b 1 per 3600 s/);
});
