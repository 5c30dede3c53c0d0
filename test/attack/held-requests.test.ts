import { once as eventOf } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import test, { type ExecutionContext } from 'ava';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { writeListeners } from '../support/listeners-world.ts';
import { exactHost, lateHost, loginPolicy, loginWorld, routeTarget, twoRoutes } from '../support/login-world.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/**
 * Requests wait in a filter while policies change, and go on afterwards. Envoy frees names and counters of a filter chain's filters when the chain is
 * replaced: such a request would miss what its route demands behind the filter, or end the process.
 */

const group = 'gateway.networking.k8s.io';
type Target = readonly [kind: string, name: string, sectionName?: string];
const policy = (kind: string, name: string, [of, named, sectionName]: Target, spec: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind,
  metadata: { name },
  spec: { targetRefs: [{ group, kind: of, name: named, ...(sectionName && { sectionName }) }], ...spec },
});
const access = policy.bind(undefined, 'AccessPolicy');
const traffic = policy.bind(undefined, 'TrafficPolicy');
const limit = policy.bind(undefined, 'RateLimitPolicy');
const other = ['HTTPRoute', 'other'] as const;
const guarded = ['HTTPRoute', 'guarded'] as const;
const gatewayTarget = ['Gateway', 'edge'] as const;
const wildTarget = ['Gateway', 'edge', 'wild'] as const;
const teamTarget = ['ListenerSet', 'team'] as const;
const asks = (name: string) => ({ forwardAuth: { backendRef: { name, port: 80 }, timeout: '60s' } });
const perHour = (requests: number) => ({ limits: [{ requests, per: '1h' }] });
const total = (size: string) => ({ bandwidth: { total: { request: size, response: size } } });
/** Filters of all chains. */
const shaped = (maxBytes: string) => ({
  requestBody: { maxBytes },
  buffering: { request: { maxBytes } },
  compression: { algorithms: ['Gzip'] },
});
const deniesAll = { authorization: { rules: [{ name: 'all', action: 'Deny' }] } };

/** A bucket may have one request left, or again. */
const limited = 'the same, in front of limits of the route';

interface Holder {
  /** What the Gateway demands. */
  readonly edge?: object;
  readonly route: readonly object[];
}

const behindWhat = 'a server that the Gateway asks, in front of what it denies';

/** What makes requests of the guarded route wait, and what denies them afterwards. */
const holders: Readonly<Record<string, Holder>> = {
  'a server that the Gateway asks': { edge: asks('holder'), route: [access('guarded', guarded, deniesAll)] },
  'the same, in front of a server of the route': {
    edge: asks('holder'),
    route: [access('guarded', guarded, asks('denier'))],
  },
  [limited]: {
    edge: asks('holder'),
    route: [
      limit('guarded', guarded, {
        response: { status: 403 },
        buckets: [{ name: 'b', ...perHour(1) }],
      }),
    ],
  },
  'a server that the route asks': { route: [access('guarded', guarded, { ...asks('holder'), ...deniesAll })] },
  [behindWhat]: { edge: { ...asks('holder'), ...deniesAll }, route: [] },
};

/** What other policies become meanwhile, one after the other: by file, and nothing where it goes. */
type Change = readonly [what: string, file: string, ...objects: readonly object[]];
const changes: readonly Change[] = [
  ['another route is the first to use a slot', 'a.yaml', access('a', other, { csrf: {} })],
  [
    'it uses others',
    'a.yaml',
    access('a', other, { authorization: deniesAll.authorization, clientIPs: { deny: ['10.0.0.0/8'] } }),
  ],
  [
    'it uses some of the other chain',
    'b.yaml',
    traffic('b', other, { faults: { abort: { status: 418, percent: 100 } } }),
  ],
  ['it uses none any more', 'a.yaml'],
  ['it has limits', 'limits.yaml', limit('limits', other, { buckets: [{ name: 'b', ...perHour(1) }] })],
  [
    'it has others, also in front of servers, and of all proxies',
    'limits.yaml',
    limit('limits', other, { buckets: [{ name: 'b', ...perHour(2) }] }),
    limit('before', other, { phase: 'BeforeAuth', buckets: [{ name: 'b', limits: [{ requests: 3, per: '10s' }] }] }),
    limit('shared', other, { counting: 'Shared', buckets: [{ name: 'b', ...perHour(4) }] }),
  ],
  ['it shares bandwidth', 'b.yaml', traffic('b', other, total('1Mi'))],
  ['it shares more of it', 'b.yaml', traffic('b', other, total('2Mi'))],
  ['it has no limits any more', 'limits.yaml'],
  ['the Gateway has limits', 'edge.yaml', limit('all', gatewayTarget, { buckets: [{ name: 'b', ...perHour(9_000) }] })],
  [
    'it has others, also in front of servers, and of all proxies',
    'edge.yaml',
    limit('all', gatewayTarget, { buckets: [{ name: 'b', ...perHour(8_000) }] }),
    limit('all-before', gatewayTarget, {
      phase: 'BeforeAuth',
      buckets: [{ name: 'b', limits: [{ requests: 8_000, per: '10s' }] }],
    }),
    limit('all-shared', gatewayTarget, { counting: 'Shared', buckets: [{ name: 'b', ...perHour(8_000) }] }),
  ],
  ['it does something to requests', 'traffic.yaml', traffic('all', gatewayTarget, shaped('8Ki'))],
  ['it does that otherwise', 'traffic.yaml', traffic('all', gatewayTarget, { ...shaped('9Ki'), ...total('3Mi') })],
  ['it does nothing any more', 'traffic.yaml'],
  ['it has no limits any more', 'edge.yaml'],
  [
    'one of its listeners has what another has not',
    'wild.yaml',
    limit('wild', wildTarget, { buckets: [{ name: 'b', ...perHour(7_000) }] }),
    traffic('wild', wildTarget, shaped('7Ki')),
  ],
  [
    'a ListenerSet has, too',
    'team.yaml',
    limit('team', teamTarget, { counting: 'Shared', buckets: [{ name: 'b', ...perHour(6_000) }] }),
    traffic('team', teamTarget, shaped('6Ki')),
  ],
  ['it has other things', 'team.yaml', traffic('team', teamTarget, { ...shaped('5Ki'), ...total('4Mi') })],
  ['the listener has nothing any more', 'wild.yaml'],
  ['nor has the ListenerSet', 'team.yaml'],
];

const accessFile = 'edge-access.yaml';
const noPrivate = { clientIPs: { deny: ['10.0.0.0/8'] } };
const wildAccess = access.bind(undefined, 'wild-access', wildTarget);
const teamAccess = access.bind(undefined, 'team-access', teamTarget);

/** The same of who may come in at all, beside what the Gateway demands from the beginning. */
const accessChanges = (edge: object = {}): readonly Change[] => {
  const ofGateway = (more: object) => access('edge', gatewayTarget, { ...edge, ...more });
  return [
    ['the Gateway demands more', accessFile, ofGateway(noPrivate)],
    ['it demands other things', accessFile, ofGateway({ csrf: {} })],
    ['one of its listeners demands what another does not', 'wild-access.yaml', wildAccess(noPrivate)],
    ['the same listener asks a server', 'wild-access.yaml', wildAccess({ csrf: {}, ...asks('denier') })],
    ['a ListenerSet asks one, too', 'team-access.yaml', teamAccess(asks('denier'))],
    ['it demands other things', 'team-access.yaml', teamAccess({ ...noPrivate, csrf: {} })],
    ['the listener demands nothing any more', 'wild-access.yaml'],
    ['nor does the ListenerSet', 'team-access.yaml'],
    ['the Gateway demands nothing any more', accessFile],
  ];
};

const askers = {
  'HTTP/1.1': (port: number) => ({
    once: async () => (await send(port, { host: 'late.guarded.test' })).status,
    end: () => {},
  }),
  'HTTP/2': (port: number) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const once = async () => {
      const stream = session.request({ ':authority': 'late.guarded.test' });
      const [headers] = (await eventOf(stream, 'response')) as [IncomingHttpHeaders];
      stream.resume();
      await eventOf(stream, 'close');
      return headers[':status'];
    };
    return { once, end: () => session.close() };
  },
};

class World {
  readonly gateway: Standalone;
  /** Calling one lets its request in. */
  readonly #held: (() => void)[];

  constructor(gateway: Standalone, held: (() => void)[]) {
    this.gateway = gateway;
    this.#held = held;
  }

  static async start(t: ExecutionContext, { edge, route }: Holder): Promise<World> {
    const held: (() => void)[] = [];
    const web = await startBackend(t);
    const holder = await startBackend(t, (_, response) => void held.push(() => response.end()));
    const denier = await startBackend(t, (_, response) => response.writeHead(403).end('denied'));
    const gateway = await startStandalone({
      'web.yaml': [
        ...serviceObjects('web', [web.port]),
        ...serviceObjects('holder', [holder.port]),
        ...serviceObjects('denier', [denier.port]),
        routeObject('guarded', '*.guarded.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
        routeObject('other', 'other.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
        // When a cluster goes, Envoy ends what waits for an answer of it: 503.
        routeObject('holder', 'holder.test', [{ backendRefs: [{ name: 'holder', port: 80 }] }]),
      ],
      'policies.yaml': route,
      ...(edge && { [accessFile]: [access('edge', gatewayTarget, edge)] }),
    });
    t.teardown(() => gateway.stop());
    writeListeners(gateway);
    await until('the first snapshot to be applied', () => isCurrent(gateway));
    return new World(gateway, held);
  }

  /** What requests are answered that wait while the change happens. */
  async answersDuring([what, file, ...objects]: Change, protocol: keyof typeof askers): Promise<unknown[]> {
    const { gateway } = this;
    const asker = askers[protocol](gateway.port);
    const answers = Array.from({ length: 20 }, () => asker.once().catch((error: Error) => error.message));
    await until(`requests to wait before: ${what}`, () => this.#held.length >= answers.length);
    const before = gateway.control.graph.snapshot()?.id;
    if (objects.length > 0) gateway.write(file, ...objects);
    else gateway.remove(file);
    await until(`${what}`, () => gateway.control.graph.snapshot()?.id !== before && isCurrent(gateway));
    for (const release of this.#held.splice(0)) release();
    const statuses = await Promise.all(answers);
    asker.end();
    return statuses;
  }
}

test('requests that wait meet their demands while a login of another route comes and goes', async (t) => {
  t.timeout(600_000);
  const held: (() => void)[] = [];
  const holder = await startBackend(t, (_, response) => void held.push(() => response.end()));
  const world = await loginWorld(t, {
    routes: [...twoRoutes(), ...serviceObjects('holder', [holder.port])],
    policies: () => [access('guarded', ['HTTPRoute', 'web'], { ...asks('holder'), ...deniesAll })],
  });
  const { gateway, page, provider } = world;
  await until('the first snapshot to be applied', () => isCurrent(gateway));
  const statusOf = async (host: string): Promise<unknown> => (await new ScriptedBrowser().ask(page(host))).status;
  const changes = [
    [302, () => gateway.write('login.yaml', loginPolicy('login', routeTarget('wild'), provider))],
    [200, () => gateway.remove('login.yaml')],
  ] as const;
  for (const [status, change] of changes) {
    const answers = Array.from({ length: 20 }, () => statusOf(exactHost).catch((error: Error) => error.message));
    await until('requests to wait', () => held.length >= answers.length);
    change();
    await until(`the other route to answer ${status}`, async () => (await statusOf(lateHost)) === status);
    for (const release of held.splice(0)) release();
    t.deepEqual([...new Set(await Promise.all(answers))], [403]);
  }
  t.deepEqual(
    gateway.log.filter(({ level }) => level === 'error'),
    [],
  );
});

for (const [what, holder] of Object.entries(holders))
  for (const protocol of ['HTTP/1.1', 'HTTP/2'] as const) {
    const attack = async (t: ExecutionContext, all: readonly Change[]): Promise<void> => {
      t.timeout(600_000);
      const world = await World.start(t, holder);
      for (const change of all) {
        const others = (await world.answersDuring(change, protocol)).filter((status) => status !== 403);
        t.deepEqual(others, what === limited ? others.slice(0, 1).map(() => 200) : [], change[0]);
      }
      const errors = world.gateway.log.filter(({ level }) => level === 'error');
      t.deepEqual(errors, [], 'Envoy runs on, and no policy was wrong');
    };
    if (what !== behindWhat)
      test(`requests by ${protocol} that wait for ${what} meet their route's demands, whatever changes meanwhile`, (t) =>
        attack(t, changes));
    test(`requests by ${protocol} that wait for ${what} meet all demands, whatever the Gateway demands meanwhile`, (t) =>
      attack(t, accessChanges(holder.edge)));
  }
