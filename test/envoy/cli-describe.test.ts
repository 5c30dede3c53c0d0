import anyTest, { type TestFn } from 'ava';
import { runCommand } from '../support/command.ts';
import type { Ended } from '../support/program.ts';
import { routeObject, type Standalone, startStandalone, untilRead } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/* `gatewright describe` over everything there is: one world with an object of each sort, some of them wrong. */

const test = anyTest as TestFn<Standalone>;

const own = (kind: string, name: string, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind,
  metadata: { name },
  spec,
});
const limits = (name: string) =>
  own('BackendPolicy', name, {
    targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
    timeouts: { request: '5s' },
  });

test.before(async (t) => {
  t.context = await startStandalone();
  const { write, backend } = t.context;
  write('web.yaml', ...(await backend('web')));
  write('ghost.yaml', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'ghost' },
    spec: { ports: [{ port: 80 }] },
  });
  write(
    'shop.yaml',
    routeObject('shop', 'shop.test', [
      {
        matches: [{ path: { type: 'Exact', value: '/buy' }, method: 'POST', headers: [{ name: 'x-a', value: '1' }] }],
        backendRefs: [
          { name: 'web', port: 80, weight: 3 },
          { name: 'ghost', port: 80 },
        ],
      },
    ]),
  );
  write('lost.yaml', routeObject('lost', 'lost.test', [{ backendRefs: [{ name: 'missing', port: 80 }] }]));
  write('policies.yaml', limits('first'), limits('second'), own('DataPlane', 'fast', { replicas: 2 }));
  write(
    'filters.yaml',
    own('HTTPFilter', 'closed', { directResponse: { status: 410 } }),
    own('HTTPFilter', 'spare', { regexRewrite: { pattern: '(', substitution: '/' } }),
    routeObject('gone', 'gone.test', [
      {
        filters: [
          { type: 'ExtensionRef', extensionRef: { group: 'gatewright.dev', kind: 'HTTPFilter', name: 'closed' } },
        ],
      },
    ]),
  );
  write('broken.yaml', { ...routeObject('bent', 'bent.test', []), spec: { hostnames: 'bent.test' } });
  await untilRead(
    t.context,
    ['Service', 'default/web'],
    ['Service', 'default/ghost'],
    ['HTTPRoute', 'default/shop'],
    ['HTTPRoute', 'default/lost'],
    ['DataPlane', 'default/fast'],
    ['HTTPRoute', 'default/gone'],
  );
});
test.after.always((t) => t.context.stop());

const describe = ({ control }: Standalone, ...args: string[]): Promise<Ended> =>
  runCommand(['describe', ...args], { GATEWRIGHT_SERVER: `http://127.0.0.1:${control.ports.layout1}` });

test.serial('a filter: the routes that name it, and what is wrong with it', async (t) => {
  const closed = await describe(t.context, 'httpfilter', 'closed');
  t.is(closed.code, 0, closed.stderr);
  t.regex(closed.stdout, /HTTPRoute default\/gone/);
  const spare = await describe(t.context, 'hfilter', 'spare');
  t.regex(spare.stdout, /no route/);
  t.regex(spare.stdout, /is not RE2/);
  const route = await describe(t.context, 'route', 'gone');
  t.regex(route.stdout, /ExtensionRef HTTPFilter closed/);
  t.notRegex(route.stdout, /no backend/);
});

test.serial('a route: parents, shares, health, policies with who wins, and its end is good', async (t) => {
  const { code, stdout, stderr } = await describe(t.context, 'route', 'shop');
  t.is(code, 0, stdout + stderr);
  t.regex(stdout, /^HTTPRoute default\/shop: served\nhosts {3}shop\.test\n/);
  t.regex(stdout, /\n {2}at edge: Accepted=True, ResolvedRefs=True\n/);
  t.regex(stdout, /listener http of Gateway default\/edge, HTTP\/\d+\n/);
  t.regex(stdout, /rule 0: method POST, path = \/buy, header x-a = 1\n/);
  t.regex(stdout, / {4}75 % to Service default\/web:80, 1 of 1 endpoints healthy\n/);
  t.regex(stdout, / {4}25 % to Service default\/ghost:80, no endpoint\n/);
  t.regex(stdout, /BackendPolicy default\/first for Service web: in effect\n/);
  t.regex(
    stdout,
    /BackendPolicy default\/second for Service web: not accepted, Conflicted: .*the older BackendPolicy default\/first/,
  );
});

test.serial('a route that does not resolve: what it means, the next step once, and exit code 1', async (t) => {
  const { code, stdout } = await describe(t.context, 'httproute/default/lost');
  t.is(code, 1);
  t.regex(stdout, /^HTTPRoute default\/lost: served in part\n/);
  t.regex(
    stdout,
    /ResolvedRefs=False, BackendNotFound: Service default\/missing does not exist\n +means: .*\n +next: Create/,
  );
  t.regex(stdout, /100 % to Service default\/missing:80, not resolved/);
  t.regex(stdout, /PROBLEMS\n {2}failing: BackendNotFound: .*\(route_degraded\)\n/);
  t.is(stdout.match(/next: Create the Service/g)?.length, 1, stdout);
});

test.serial('a Gateway, its proxy, a Service, policies and a DataPlane', async (t) => {
  const gateway = await describe(t.context, 'gtw', 'edge');
  t.is(gateway.code, 0, gateway.stdout);
  t.regex(gateway.stdout, /^Gateway default\/edge: served\nclass +gatewright\naddresses +127\.0\.0\.1\nroutes +3\n/);
  t.regex(gateway.stdout, /LISTENERS\n {2}http: HTTP\/\d+, any host, 3 routes\n/);
  t.regex(gateway.stdout, /PROXIES\n {2}default\.edge: current-ready\n/);

  // An agent has two seconds to answer the control plane, which a machine that stands still does not give it.
  const node = await untilFits(
    'the agent to answer',
    () => describe(t.context, 'node', 'default.edge'),
    ({ stdout }) => !stdout.includes('not known: '),
  );
  t.is(node.code, 0, node.stdout);
  t.regex(node.stdout, /^Node default\.edge: current-ready\ngateway +default\/edge\n/);
  t.regex(
    node.stdout,
    /REJECTS\n {2}nothing\n\nENVOY\n {2}LIVE, process \d+, 0 restarts, serves current configuration\n/,
  );

  const web = await untilFits(
    'the agent to answer',
    () => describe(t.context, 'svc', 'default/web'),
    ({ stdout }) => stdout.includes('the proxies asked'),
  );
  t.is(web.code, 0, web.stdout);
  t.regex(web.stdout, /web:80, http1\n {4}127\.0\.0\.1:\d+: ready; healthy at the proxies asked\n/);
  t.regex(web.stdout, /USED BY\n {2}HTTPRoute default\/shop\n/);
  const ghost = await describe(t.context, 'service', 'ghost');
  t.is(ghost.code, 1);
  t.regex(ghost.stdout, /it has no endpoint \(backend_without_endpoints\)/);

  const second = await describe(t.context, 'backendpolicy', 'second');
  t.is(second.code, 1);
  t.regex(second.stdout, /TARGETS\n {2}Service web\n {2}not accepted: Conflicted: /);
  const fast = await describe(t.context, 'dataplane', 'fast');
  t.is(fast.code, 0, fast.stdout);
  t.regex(fast.stdout, /USED BY\n {2}no Gateway and no GatewayClass\n\nSPEC\n {2}replicas: 2\n/);
});

test.serial('what happened to an object since the start', async (t) => {
  t.context.write('late.yaml', routeObject('late', 'late.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]));
  await until('the route', () => t.context.control.graph.find('HTTPRoute', 'default/late') !== undefined);
  const { stdout } = await describe(t.context, 'httproute', 'late');
  t.regex(stdout, /RECENT EVENTS\n {2}\d+s +added, generation 1\n/);
});

test.serial('-o json has the same for programs', async (t) => {
  const { code, stdout } = await describe(t.context, 'httproute', 'shop', '-o', 'json');
  t.is(code, 0);
  const all = JSON.parse(stdout);
  t.like(all, { kind: 'HTTPRoute', namespace: 'default', name: 'shop', state: 'served', isWell: true });
  t.like(all.rules[0].backends[0], { kind: 'Service', namespace: 'default', name: 'web', share: 0.75, healthy: 1 });
  t.deepEqual(
    all.policies.map((each: { name: string; inEffect: boolean }) => [each.name, each.inEffect]),
    [
      ['first', true],
      ['second', false],
    ],
  );
});

test.serial('what does not exist, is written wrongly, or is in a file that is not valid', async (t) => {
  const near = await describe(t.context, 'route', 'shpo');
  t.is(near.code, 2);
  t.regex(near.stderr, /there is no Route "shpo"; did you mean "shop"\?/);
  const kind = await describe(t.context, 'htproute', 'shop');
  t.is(kind.code, 2);
  t.regex(kind.stderr, /there is no kind "htproute"; did you mean "httproute"\?/);
  t.regex(
    (await describe(t.context, 'httproute', 'shop', '-n', 'elsewhere')).stderr,
    /in namespace elsewhere; there is default\/shop/,
  );
  t.regex((await describe(t.context, 'gateway')).stderr, /say which Gateway: gatewright describe gateway NAME/);
  const bent = await untilFits(
    'its file to be read',
    () => describe(t.context, 'httproute', 'bent'),
    ({ stderr }) => stderr.includes('its file is not valid'),
  );
  t.regex(bent.stderr, /its file is not valid: .*broken\.yaml:\d+:\d+: HTTPRoute default\/bent: /);
  const none = await describe(t.context, 'tcproute', 'x');
  t.regex(none.stderr, /there is no TCPRoute "x"; there is no TCPRoute at all/);
});
