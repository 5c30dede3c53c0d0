import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import * as immutable from 'immutable';
import {
  type HttpConnectionManager,
  HttpConnectionManagerSchema,
  ListenerSchema,
  packAny,
  typeUrls,
} from '../../src/envoy/index.ts';
import * as ir from '../../src/ir/index.ts';
import { bytesOfText, textOfBytes } from '../../src/std/memory/index.ts';
import { type EnvoyResource, Translator } from '../../src/translate/index.ts';
import { lowerHalf, median } from '../support/figures.ts';
import { BurstClient, Prober } from './client.ts';
import { cpuNs } from './process-cost.ts';
import { plainRoutes, virtualHost } from './resources.ts';
import { withEnvoy } from './rig.ts';
import type { Resource } from './stub-ads.ts';

const gateway = 'default/bench';
const burst = 200;
export const host = 'exact.test';

/** One listener. Its host that is asked has a rule with what `own` says, and another host one with what `user` says. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly own?: Partial<ir.RouteRule>;
  readonly user?: Partial<ir.RouteRule>;
  /** What its table itself demands. */
  readonly demands?: readonly ir.TableAccess[];
}

const auth: ir.ExternalAuth = { protocol: 'http', authority: 'auth', requestHeaders: [], responseHeaders: [] };
const forwardAuth: ir.ForwardAuth = { ...auth, toClient: [], timeoutMs: 1000, failOpen: false, statusOnError: 503 };
const cors: ir.Cors = {
  origins: [],
  methods: [],
  requestHeaders: [],
  exposedHeaders: [],
  credentials: false,
  maxAgeSeconds: 5,
};
const session: ir.Session = { kind: 'header', scope: 's', name: 'x-pin' };
const backends = [{ backend: 'default/a/80', weight: 1, session }];

const noPrivate: ir.TableAccess = {
  level: 'gateway',
  source: 'infra/edge',
  overridable: [],
  clientIPs: { deny: [{ address: '10.0.0.0', prefixLength: 8 }] },
};

const floor: Subject = { name: 'scopes without filter chains (the floor)', port: 83 };
const subjects: readonly Subject[] = [
  { name: 'filter chains, nothing used', port: 84 },
  { name: 'filter chains, CORS used by another host', port: 85, user: { filters: { cors } } },
  {
    name: 'filter chains, 4 slots of ExternalAuth used by another host',
    port: 86,
    user: { filters: { externalAuth: [auth, auth, auth, auth] } },
  },
  {
    name: 'filter chains, sessions used by another host',
    port: 87,
    user: { action: { kind: 'forward', backends, invalidStatus: 500 } },
  },
  {
    name: 'filter chains, forwardAuth used by another host',
    port: 90,
    user: { filters: { access: { route: { forwardAuth } } } },
  },
  { name: 'filter chains, addresses that the Gateway denies', port: 88, demands: [noPrivate] },
  {
    name: 'filter chains, the same, and ExternalAuth used by another host',
    port: 89,
    demands: [noPrivate],
    user: { filters: { externalAuth: [auth] } },
  },
];

/** Envoy's CPU time for one request to a host that uses no filter, by what a subject's filter chains hold. */
export interface ChainCost {
  readonly name: string;
  /** Mean of the lower half of the rounds. */
  readonly cpuUs: number;
  readonly overBareUs: number;
  readonly overFloorUs: number;
  /** Median of the differences within one round: what slows the whole machine for a round is in both. */
  readonly overFloorPairedUs: number;
}

/** All subjects in one Envoy, in turns. */
export async function measureChains(rounds: number): Promise<readonly ChainCost[]> {
  const { listener: plain, routes } = plainRoutes([host]);
  const all = [floor, ...subjects];
  const made = translate(all);
  const of = (typeUrl: string) => made.filter((resource) => resource.typeUrl === typeUrl);
  const listeners = of(typeUrls.listener).map((one) => (one.name === keyOf(floor) ? withoutChains(one) : one));
  const initial = [
    { typeUrl: typeUrls.listener, resources: [plain, ...listeners] },
    { typeUrl: typeUrls.route, resources: [routes] },
    { typeUrl: typeUrls.scopedRoute, resources: of(typeUrls.scopedRoute) },
    { typeUrl: typeUrls.extension, resources: of(typeUrls.extension) },
  ];
  return withEnvoy(initial, async ({ envoy, port }) => {
    const asked: Asked[] = [{ name: 'RDS, router alone', port, host }];
    for (const subject of all) {
      // Found at once: exact scopes of other ports than 80 are named with the port.
      const found = `${host}:${subject.port}`;
      asked.push({ name: subject.name, port: await envoy.port(keyOf(subject)), host: found });
    }
    return compare(envoy.pid, asked, rounds);
  });
}

export const keyOf = ({ port }: Pick<Subject, 'port'>): string => `http/${port}`;

export function translate(all: readonly Subject[]): readonly EnvoyResource[] {
  const listeners = all.map((subject): ir.Listener => {
    const key = keyOf(subject);
    const chains = [{ kind: 'http', name: 'http', table: key }] as const;
    return { key, transport: 'tcp', bind: { address: '127.0.0.1', port: 0 }, chains };
  });
  const tables = all.map((subject): ir.RouteTable => {
    const asked = { ...hostWith(host, subject.own ?? {}), fallThrough: false };
    const hosts = [asked, ...(subject.user ? [hostWith('user.test', subject.user)] : [])];
    const { demands } = subject;
    const exact = byKey(hosts, (one) => one.host);
    return { id: keyOf(subject), exact, fallback: immutable.Map(), ...(demands && { access: { demands } }) };
  });
  const fleet: ir.Fleet = {
    key: gateway,
    digest: ir.emptyDigest,
    listenersDigest: ir.emptyDigest,
    listeners: byKey(listeners, ({ key }) => key),
    tables: byKey(tables, ({ id }) => id),
    streams: immutable.Map(),
    secrets: immutable.Map(),
    backends: immutable.Map(),
  };
  const snapshot = { ...ir.emptySnapshot(new Date(0)), gateways: immutable.Map([[gateway, fleet]]) };
  const made = new Translator().translate(snapshot, ir.allChanges(snapshot)).flatMap(({ upserts }) => upserts);
  return made.flatMap((one) => [...(one.pieces ?? []), one]);
}

function hostWith(name: string, more: Partial<ir.RouteRule>): ir.VirtualHost {
  const { routes, ...rest } = virtualHost(name);
  return { ...rest, routes: routes.map((route) => ({ ...route, rule: { ...route.rule, ...more } })) };
}

const byKey = <T>(all: readonly T[], keyFrom: (one: T) => string): immutable.Map<string, T> =>
  immutable.Map(all.map((one) => [keyFrom(one), one]));

type HttpFilters = HttpConnectionManager['httpFilters'];

/** The listener with other filters for requests. */
export function withFilters({ name, body }: EnvoyResource, change: (filters: HttpFilters) => HttpFilters): Resource {
  const listener = fromBinary(ListenerSchema, bytesOfText(body));
  for (const { configType } of listener.filterChains.flatMap(({ filters }) => filters)) {
    const manager = configType.case === 'typedConfig' && anyUnpack(configType.value, HttpConnectionManagerSchema);
    if (!manager) continue;
    manager.httpFilters = change(manager.httpFilters);
    configType.value = packAny(HttpConnectionManagerSchema, manager) as never;
  }
  return { name, body: textOfBytes(toBinary(ListenerSchema, listener)) };
}

export const isOfRoutes = ({ configType }: HttpFilters[number]): boolean => configType.case === 'configDiscovery';

/** The listener as it would be if there were no filters of routes at all. */
const withoutChains = (listener: EnvoyResource): Resource =>
  withFilters(listener, (filters) => filters.filter((filter) => !isOfRoutes(filter)));

interface Asked {
  readonly name: string;
  readonly port: number;
  readonly host: string;
}

async function compare(pid: number, subjects: readonly Asked[], rounds: number): Promise<readonly ChainCost[]> {
  for (const { name, port, host } of subjects) {
    const prober = new Prober(port);
    const status = await prober.status(host);
    prober.close();
    // What is rejected costs something else.
    if (status !== 200) throw new Error(`${name} answers ${status}`);
  }
  const clients = await Promise.all(subjects.map(({ port }) => BurstClient.open(port)));
  const costs = subjects.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const index of subjects.keys()) {
      const at = (index + round) % subjects.length;
      const before = cpuNs(pid);
      await clients[at]?.burst(subjects[at]?.host ?? '', '/a', burst);
      costs[at]?.push((cpuNs(pid) - before) / 1e3 / burst);
    }
  }
  for (const client of clients) client.close();
  const [bare = [], least = []] = costs;
  const [bareUs, leastUs] = [lowerHalf(bare), lowerHalf(least)];
  return subjects.map(({ name }, index) => {
    const spent = costs[index] ?? [];
    const cpuUs = lowerHalf(spent);
    return {
      name,
      cpuUs,
      overBareUs: cpuUs - bareUs,
      overFloorUs: cpuUs - leastUs,
      overFloorPairedUs: median(spent.map((us, round) => us - (least[round] ?? us))),
    };
  });
}
