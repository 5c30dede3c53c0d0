import { once } from 'node:events';
import http from 'node:http';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import fc from 'fast-check';
import { pause } from '../pace.ts';
import { Calls } from './calls.ts';
import { tokenText } from './credentials.ts';
import { gatewayTarget, listenerTarget, places, routeTarget, setTarget } from './places.ts';
import type { AccessRig } from './rig.ts';
import type { Policy, RouteKind, World } from './world.ts';

/**
 * Policies change under busy connections, and every state of them demands something of all requests: a client that shows nothing must never get in,
 * and one that shows all must always.
 */

/** Of each host's route. */
const kinds: readonly RouteKind[] = ['HTTPRoute', 'HTTPRoute', 'HTTPRoute', 'GRPCRoute', 'GRPCRoute'];

/** Levels that each of the hosts has, or what is like one to its requests. */
const targets = {
  gateway: [gatewayTarget],
  set: [
    setTarget('more'),
    ...places.filter(({ set }) => set === undefined).map((place) => listenerTarget(place, false)),
  ],
  listener: places.map((place) => listenerTarget(place, false)),
  route: kinds.map((kind, host) => routeTarget(host, kind)),
  rule: kinds.map((kind, host) => routeTarget(host, kind, 'one')),
};
const levelNames = ['gateway', 'set', 'listener', 'route', 'rule'] as const;
/** Their policies may let lower levels switch parts off. */
const aboveRoutes: readonly Level[] = ['gateway', 'set', 'listener'];
type Level = keyof typeof targets;
type Part = keyof typeof demands;

const demands = {
  apiKeys: { secretRefs: [{ name: 'keys-a' }], from: [{ header: 'x-key' }] },
  basicAuth: { secretRef: { name: 'users' } },
  jwt: {
    providers: [
      {
        name: 'p',
        jwks: { configMapRef: { name: 'staff' } },
        from: { headers: [{ name: 'x-token' }] },
      },
    ],
  },
  authorization: { rules: [{ name: 'team', action: 'Allow', when: { headers: [{ name: 'x-team', values: ['a'] }] } }] },
};
const parts = Object.keys(demands) as Part[];

const policy = (name: string, level: Level, spec: object): Policy =>
  ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name, namespace: 'default', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { targetRefs: targets[level], ...spec },
  }) as unknown as Policy;

/** Demands at one level or more; what a lower level switches off of an upper one's, it demands something else instead of. */
const states: fc.Arbitrary<World> = fc
  .record({
    levels: fc.subarray<Level>([...levelNames], { minLength: 1, maxLength: 3 }),
    chosen: fc.tuple(...levelNames.map(() => fc.subarray(parts, { minLength: 1, maxLength: 2 }))),
    overridable: fc.subarray(parts, { minLength: 1 }),
    isOverriding: fc.boolean(),
    clients: fc.subarray(['bob', 'carol', 'dan']),
  })
  .map(({ levels, chosen, overridable, isOverriding, clients }) => {
    const made = levels.map((level, index) => {
      const own = Object.fromEntries((chosen[index] ?? parts).map((part) => [part, demands[part]]));
      const spec = {
        ...own,
        ...(aboveRoutes.includes(level) && { overridable }),
        ...(isOverriding && level !== 'gateway' && { overrides: parts }),
      };
      return policy(level, level, spec);
    });
    return {
      guards: made,
      hosts: kinds.map((kind, host) => ({ kind, isWildcard: host === 1, policies: [] })),
      secrets: {
        'keys-a': { ann: 'key-1', ...Object.fromEntries(clients.map((name) => [name, `key-of-${name}`])) },
        users: {
          '.htpasswd': `ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n${clients.map((name) => `${name}:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n`).join('')}`,
        },
      },
      keySets: { staff: 'staff' },
    };
  });

const everything = {
  authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}`,
  'x-key': 'key-1',
  'x-token': tokenText('operator'),
  'x-team': 'a',
};

/** One connection that goes on asking. */
interface Client {
  readonly what: string;
  /** The status, as Asking.ask gives it. */
  readonly ask: () => Promise<string>;
  readonly isClosed: () => boolean;
  readonly end: () => void;
}

function byHttp1(port: number, host: string, headers: object): Client {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let opened = 0;
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      http
        .get({ host: '127.0.0.1', port, path: '/one', headers: { ...headers, host }, agent }, (response) => {
          response.resume().once('end', () => resolve(String(response.statusCode)));
        })
        .once('socket', ({ connecting }) => {
          if (connecting) opened += 1;
        })
        .once('error', reject);
    });
  return { what: `HTTP/1.1 ${host}`, ask, isClosed: () => opened > 1, end: () => agent.destroy() };
}

function byHttp2(port: number, host: string, headers: object): Client {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  const ask = async () => {
    const stream = session.request({ ':authority': host, ':path': '/one', ...headers });
    const [answered] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    stream.resume();
    await once(stream, 'close');
    return String(answered[':status']);
  };
  return {
    what: `HTTP/2 ${host}`,
    ask,
    isClosed: () => session.closed || session.destroyed,
    end: () => session.close(),
  };
}

/** A client that calls. */
function byCalls(port: number, host: string, headers: Readonly<Record<string, string>>): Client {
  const calls = new Calls(1);
  const ask = () => calls.call({ port }, { authority: host, path: '/one/x', headers });
  return { what: `gRPC ${host}`, ask, isClosed: () => calls.opened > 1, end: () => calls.stop() };
}

/** Of each host that `kinds` has. */
const clients = [
  { host: 'h0.test', ways: [byHttp1, byHttp2] },
  { host: 'x.h1.b.test', ways: [byHttp1, byHttp2] },
  { host: 'h2.c.test', ways: [byHttp1, byHttp2] },
  { host: 'h3.d.test', ways: [byCalls] },
  { host: 'h4.test', ways: [byCalls] },
];

export interface Change {
  readonly seed: number;
  readonly changes: number;
  /** What is done next. */
  readonly onProgress?: (text: string) => void;
}

/** What the clients met, by words such as `HTTP/2 h0.test without credentials: 401`; and what must not be. */
export interface Met {
  readonly seen: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
}

export async function changeUnderLoad(rig: AccessRig, { seed, changes, onProgress }: Change): Promise<Met> {
  const worlds = fc.sample(states, { seed, numRuns: changes + 1 });
  const [first, ...others] = worlds;
  if (first) await rig.apply(first);
  let running = true;
  let change = 0;
  const seen = new Map<string, number>();
  const faults: string[] = [];
  const made = clients.flatMap(({ host, ways }) =>
    ways.flatMap((by) => [
      { client: by(rig.ports.plain, host, everything), has: true },
      { client: by(rig.ports.plain, host, {}), has: false },
    ]),
  );
  const loops = made.map(async ({ client, has }) => {
    while (running) {
      const before = change;
      const status = await client.ask().catch((error: Error) => `error: ${error.message}`);
      const line = `${client.what} ${has ? 'with' : 'without'} credentials: ${status}`;
      seen.set(line, (seen.get(line) ?? 0) + 1);
      if (status.startsWith('200') !== has || status.startsWith('error'))
        faults.push(`${line}, between changes ${before} and ${change}`);
      await pause();
    }
    if (client.isClosed()) faults.push(`${client.what}: the connection was closed`);
    client.end();
  });
  for (const world of others) {
    change += 1;
    onProgress?.(`change ${change} of ${changes}`);
    // Some changes meet the former on its way.
    if (change % 3 === 0) rig.write(world);
    else await rig.apply(world);
  }
  running = false;
  await Promise.all(loops);
  return { seen, faults };
}
