import { fromBinary } from '@bufbuild/protobuf';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import { isFilterChain } from '../../../../src/contracts/index.ts';
import {
  FilterChainConfigSchema,
  ScopedRouteConfigurationSchema,
  TypedExtensionConfigSchema,
  typeUrls,
} from '../../../../src/envoy/index.ts';
import * as ir from '../../../../src/ir/index.ts';
import { bytesOfText } from '../../../../src/std/memory/index.ts';
import { slots } from '../../../../src/translate/filters/index.ts';
import { type EnvoyResource, Translator } from '../../../../src/translate/index.ts';
import {
  backendKey,
  gatewayKey,
  httpListener,
  route,
  snapshotOf,
  table,
  translateAll,
  virtualHost,
} from '../../../support/ir.ts';

const key = 'http/80';
const auth: ir.ExternalAuth = {
  backend: backendKey('auth'),
  protocol: 'http',
  authority: 'auth',
  requestHeaders: [],
  responseHeaders: [],
};
const cors: ir.Cors = {
  origins: [],
  methods: [],
  requestHeaders: [],
  exposedHeaders: [],
  credentials: false,
  maxAgeSeconds: 5,
};
const session: ir.Session = { kind: 'header', scope: 's', name: 'x-pin' };

const plain = route('plain', '/');
const everything = route('all', '/', {
  filters: { cors, externalAuth: [auth] },
  action: {
    kind: 'forward',
    invalidStatus: 500,
    backends: [
      { backend: backendKey('a'), weight: 1, session, filters: { externalAuth: [auth] } },
      { backend: backendKey('b'), weight: 1 },
    ],
  },
});
const allSlots = [
  'envoy.filters.http.cors',
  'gatewright.auth.1',
  'gatewright.auth.2',
  'gatewright.session-context',
  'gatewright.session',
];

const resourcesOf = (content: Parameters<typeof table>[1], id = key): readonly EnvoyResource[] =>
  translateAll(snapshotOf({ listeners: [httpListener(id)], tables: [table(id, content)] }));

/** Names of the filters in each chain. */
function chainsOf(resources: readonly EnvoyResource[]): Record<string, readonly string[]> {
  const chains = resources.filter(({ typeUrl, name }) => typeUrl === typeUrls.extension && isFilterChain(name));
  return Object.fromEntries(
    chains.map(({ name, body }) => {
      const { typedConfig } = fromBinary(TypedExtensionConfigSchema, bytesOfText(body));
      const chain = typedConfig && anyUnpack(typedConfig, FilterChainConfigSchema);
      return [name, chain?.defaultFilterChain?.filters.map((filter) => filter.name) ?? []];
    }),
  );
}

const allEmpty = {
  'entry/http/80': [],
  'auth/http/80': [],
  'base/http/80': [],
  'access/http/80': [],
  'traffic/http/80': [],
};

test('a table whose routes use nothing has empty chains, which Envoy takes as no filter', (t) => {
  const resources = resourcesOf({ exact: [virtualHost('a.test', [plain])] });
  t.deepEqual(chainsOf(resources), allEmpty);
  const chain = resources.find(({ name }) => name === 'auth/http/80');
  const { typedConfig } = fromBinary(TypedExtensionConfigSchema, bytesOfText(chain?.body ?? ''));
  t.is(typedConfig?.value.length, 0, 'Envoy rejects a list of no filters');
});

test('chains have what some route of the table uses, on exact hosts and on others, in one order', (t) => {
  const late = {
    'entry/http/80': ['envoy.filters.http.cors'],
    'auth/http/80': ['gatewright.rt.csrf'],
    'base/http/80': [],
    'access/http/80': ['gatewright.rt.csrf'],
    'traffic/http/80': ['gatewright.filter.headers'],
  };
  const filters: ir.RouteFilters = {
    headerEdits: { response: { remove: ['x-a'], removePrefixes: [], set: [], add: [], ifAbsent: [] } },
    access: { route: { csrf: { additionalOrigins: [] } } },
    cors,
  };
  const quick = route('quick', '/', { filters });
  const found = { ...late, 'base/http/80': ['gatewright.rt.csrf'] };
  t.deepEqual(chainsOf(resourcesOf({ exact: [virtualHost('a.test', [quick])] })), found);
  t.deepEqual(chainsOf(resourcesOf({ fallback: [virtualHost('*.test', [quick])] })), late);
  const many = Array.from({ length: 600 }, (_, at) => route(`r${at}`, `/r${at}`));
  t.deepEqual(chainsOf(resourcesOf({ exact: [virtualHost('large.test', [...many, quick])] })), late);
});

const namesIn = (kind: string): string[] => slots.filter(({ chain }) => chain === kind).map(({ name }) => name);
const allOf = {
  'entry/http/80': namesIn('entry'),
  'auth/http/80': namesIn('access'),
  'base/http/80': namesIn('access'),
  'access/http/80': namesIn('access'),
  'traffic/http/80': namesIn('traffic'),
};

/** Slots alone: beside these there is what removes headers of limits behind them. */
const slotsIn = (resources: readonly EnvoyResource[]): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(chainsOf(resources)).map(([chain, names]) => [
      chain,
      names.map((name) => name.replace(/\.lists$/, '')).filter((name) => slots.some((slot) => slot.name === name)),
    ]),
  );

const bucket: ir.LimitBucket = {
  id: 'n/p/s',
  phase: 'afterAuth',
  key: [],
  limits: [{ requests: 1, perMs: 1000, burst: 1 }],
  status: 429,
};
const forwardAuth: ir.ForwardAuth = { ...auth, toClient: [], timeoutMs: 1000, failOpen: false, statusOnError: 503 };
const hashed: ir.BasicAuth = { htpasswd: new ir.Sensitive(Buffer.from('a:$2y$b\n')), hashed: true };
const buffering: ir.Buffering = { maxBytes: 1 };
const half = { headers: true, trailers: false, attributes: [] };
const extension: ir.Extension = {
  kind: 'processor',
  backend: backendKey('processor'),
  authority: 'processor',
  request: half,
  response: half,
  headers: [],
  metadata: [],
  timeoutMs: 1,
  statusOnError: 500,
};

const waiting: Readonly<Record<string, ir.RouteFilters>> = {
  forwardAuth: { access: { rule: { forwardAuth } } },
  'passwords that the agent is asked about': { access: { route: { basicAuth: hashed } } },
  'the same as one of several parts': { access: { route: { any: { basicAuth: hashed } } } },
};
const waitingAhead: Readonly<Record<string, ir.RouteFilters>> = {
  'limits of all proxies before access': {
    limits: { rule: { target: 'r', buckets: [{ ...bucket, phase: 'beforeAuth', shared: 'reject' }] } },
  },
};
const waitingBehind: Readonly<Record<string, ir.RouteFilters>> = {
  'limits of all proxies': { limits: { route: { target: 'r', buckets: [{ ...bucket, shared: 'ownPart' }] } } },
  delay: { traffic: { faults: { delay: { ms: 1, perMillion: 1 } } } },
  buffering: { traffic: { buffering } },
  externalAuth: { externalAuth: [auth] },
  'an extension': { traffic: { secondExtension: extension } },
};

const kindOf = { entry: 'entry', auth: 'access', base: 'access', access: 'access', traffic: 'traffic' } as const;
type Role = keyof typeof kindOf;
/** What chains have where requests wait in the first of `all`. */
const chainsWith = (...all: readonly Role[]) =>
  Object.fromEntries(
    Object.entries(kindOf).map(([role, kind]) => [`${role}/http/80`, all.includes(role as Role) ? namesIn(kind) : []]),
  );

for (const [what, filters] of Object.entries({ ...waitingAhead, ...waiting, ...waitingBehind }))
  test(`a table whose requests may wait for ${what} of a route has all slots there from the start`, (t) => {
    const resources = resourcesOf({ exact: [virtualHost('a.test', [plain, route('waiting', '/', { filters })])] });
    const scope = resources.find(({ name }) => name === 'http/80|a.test');
    const needs = (['entry', 'auth', 'traffic'] as const).flatMap((role) => scope?.needs?.get(`${role}/http/80`) ?? []);
    t.deepEqual(scope?.needs?.get('access/http/80'), scope?.needs?.get('auth/http/80'));
    t.false(scope?.needs?.has('base/http/80'));
    const steady = needs.filter((name) => /^gatewright\.steady\./.test(name));
    if (what in waitingBehind) {
      t.deepEqual(slotsIn(resources), chainsWith('traffic'));
      t.deepEqual(steady, ['gatewright.steady.traffic']);
    } else if (what in waiting) {
      t.deepEqual(slotsIn(resources), chainsWith('auth', 'access'), 'nothing is used behind');
      t.deepEqual(steady, ['gatewright.steady.access']);
      t.true(needs.includes('gatewright.ahead.traffic'));
    } else {
      t.deepEqual(slotsIn(resources), chainsWith('entry', 'auth', 'access', 'traffic'));
      t.deepEqual(steady, ['gatewright.steady.entry', 'gatewright.steady.access', 'gatewright.steady.traffic']);
    }
  });

const edited: ir.RouteFilters = {
  headerEdits: { response: { remove: ['x-a'], removePrefixes: [], set: [], add: [], ifAbsent: [] } },
};

for (const [what, filters] of Object.entries(waiting))
  test(`behind ${what} there are all slots as soon as one is used, or the table has limits there`, (t) => {
    const hosts = [virtualHost('a.test', [route('waiting', '/', { filters })])];
    const versionOf = (all: readonly EnvoyResource[]) => all.find(({ name }) => name === 'traffic/http/80')?.version;
    const used = resourcesOf({ exact: [...hosts, virtualHost('b.test', [route('b', '/', { filters: edited })])] });
    t.deepEqual(slotsIn(used)['traffic/http/80'], namesIn('traffic'));
    const limits = { levels: [{ level: 'gateway', target: 'g', buckets: [bucket] }] } as const;
    const own = translateAll(
      snapshotOf({ listeners: [httpListener(key)], tables: [{ ...table(key, { exact: hosts }), limits }] }),
    );
    t.deepEqual(slotsIn(own)['traffic/http/80'], namesIn('traffic'));
    const [alone, calm] = [resourcesOf({ exact: hosts }), resourcesOf({ exact: [virtualHost('a.test', [plain])] })];
    t.deepEqual(chainsOf(alone)['traffic/http/80'], []);
    t.not(versionOf(alone), versionOf(calm), 'a client says which of the two it has');
    const besideOf = (all: readonly EnvoyResource[]) =>
      all.flatMap(({ name }) => (name.startsWith('lists/') ? name : []));
    t.deepEqual(besideOf(alone).toSorted(), besideOf(used).toSorted(), 'nothing has to be sent before the chain');
  });

const tables: Readonly<Record<string, Partial<ir.RouteTable>>> = {
  forwardAuth: { access: { demands: [{ level: 'gateway', source: 'n/p', overridable: [], forwardAuth }] } },
  buffering: { traffic: { parts: [{ filters: { buffering }, sources: { buffering: 'n/p' } }] } },
};

for (const [what, content] of Object.entries(tables))
  test(`a table whose requests all may wait for ${what} has all slots there, and no chain before the one behind it`, (t) => {
    const resources = translateAll(
      snapshotOf({ listeners: [httpListener(key)], tables: [{ ...table(key, {}), ...content }] }),
    );
    const isBehind = what === 'buffering';
    t.deepEqual(slotsIn(resources), isBehind ? chainsWith('traffic') : chainsWith('auth', 'base', 'access'));
    for (const role of ['auth', 'base', 'access']) {
      const access = resources.find(({ name }) => name === `${role}/http/80`);
      const needs = [...(access?.needs ?? [])].filter(([name]) => isFilterChain(name));
      t.deepEqual(needs, isBehind ? [] : [['traffic/http/80', ['gatewright.ahead.traffic']]]);
    }
  });

test('a table whose listeners look up where clients are has all slots: its requests wait for that in front of all chains', (t) => {
  const content = { ...table(key, { exact: [virtualHost('a.test', [plain])] }), locates: true } as const;
  const resources = translateAll(snapshotOf({ listeners: [httpListener(key)], tables: [content] }));
  t.deepEqual(slotsIn(resources), allOf);
});

test('where requests may wait, no chain depends on what routes use: that is beside it', (t) => {
  const oidc: ir.Oidc = {
    session: 's',
    server: backendKey('id'),
    endpoints: { authorization: 'https://id.test/a', token: 'https://id.test/t' },
    clientId: 'c',
    scopes: ['openid'],
    redirectPath: '/oauth2/callback',
    cookies: { prefix: '__Host-gw-0a-' },
    denyRedirect: [],
    passThrough: [],
    forward: { accessToken: false, cookies: false },
  };
  const others: Readonly<Record<string, ir.RouteFilters>> = {
    'gatewright.login.oidc.cookies': { access: { route: { oidc } } },
    'gatewright.rt.guard': { limits: { route: { target: 'r', buckets: [{ ...bucket, phase: 'beforeAuth' }] } } },
    'gatewright.ru.limits.shared.429': {
      limits: { rule: { target: 'r', buckets: [{ ...bucket, shared: 'reject' }] } },
    },
    'gatewright.traffic.bandwidth.response': { traffic: { bandwidth: { total: { answerKiB: 1, of: 'r' } } } },
  };
  const versionsWith = (filters: ir.RouteFilters): ReadonlyMap<string, string> => {
    const all = {
      ...waitingAhead['limits of all proxies before access'],
      ...waiting.forwardAuth,
      traffic: { buffering },
    };
    const waits = route('waits', '/', { filters: all });
    const resources = resourcesOf({ exact: [virtualHost('a.test', [waits, route('other', '/other', { filters })])] });
    const ofChains = resources.filter(({ typeUrl }) => typeUrl !== typeUrls.scopedRoute);
    return new Map(ofChains.map(({ name, version }) => [name, version]));
  };
  const without = versionsWith({});
  for (const [slot, filters] of Object.entries(others)) {
    const changed = [...versionsWith(filters)].filter(([name, version]) => without.get(name) !== version);
    // Cookies of logins are hidden from all backends. No request waits in the chain of hosts whose routes demand nothing.
    const isForAll = slot === 'gatewright.login.oidc.cookies';
    t.deepEqual(
      changed.map(([name]) => name),
      [`lists/${slot}/http/80`, ...(isForAll ? ['base/http/80'] : [])],
    );
  }
});

test('a table that authorizes requests before their route is chosen has all slots, and its hosts need them', (t) => {
  const resources = resourcesOf({ exact: [virtualHost('a.test', [plain], { preRoutingAuth: [auth] })] });
  t.deepEqual(slotsIn(resources), { ...allOf, 'base/http/80': [] });
  const scope = resources.find(({ name }) => name === 'http/80|a.test');
  t.deepEqual([...new Set([...(scope?.needs?.values() ?? [])].flat())].sort(), [
    'gatewright.steady.access',
    'gatewright.steady.entry',
    'gatewright.steady.traffic',
  ]);
});

test('guards of modules are where requests wait if operators let modules run, and else where one does', (t) => {
  const hasGuards = (one: ir.Route, wasm: boolean): boolean => {
    const snapshot = snapshotOf({ listeners: [], tables: [table(key, { exact: [virtualHost('a.test', [one])] })] });
    const made = new Translator({ wasm }).translate(snapshot, ir.allChanges(snapshot));
    const chains = chainsOf(made.flatMap(({ upserts }) => upserts));
    return chains['traffic/http/80']?.includes('gatewright.extensions.request.same') ?? false;
  };
  const waits = route('waits', '/', { filters: { traffic: { buffering } } });
  const module = { kind: 'module', backend: backendKey('m'), digest: 'd', owner: 'a/a', rootId: '', configuration: '' };
  const runs = route('runs', '/', { filters: { traffic: { firstExtension: module as ir.Module } } });
  const found = [plain, waits, runs].map((each) => [hasGuards(each, false), hasGuards(each, true)]);
  t.deepEqual(found, [
    [false, false],
    [false, true],
    [true, true],
  ]);
});

test('the table that HTTPS listeners of a port share has no chain, as no connection leads through it', (t) => {
  t.deepEqual(chainsOf(resourcesOf({}, 'https/443')), {});
  t.deepEqual(Object.keys(chainsOf(resourcesOf({}, 'https/443/web'))), [
    'entry/https/443/web',
    'auth/https/443/web',
    'base/https/443/web',
    'access/https/443/web',
    'traffic/https/443/web',
  ]);
});

test('a chain changes with the first and the last of its users, and with no other', (t) => {
  const translator = new Translator();
  const other = { ...everything, id: 'other' };
  let before: ir.VirtualHost | undefined;
  const become = (...routes: readonly ir.Route[]) => {
    const after = virtualHost('a.test', routes);
    const snapshot = snapshotOf({ listeners: [], tables: [table(key, { exact: [after] })] });
    const place = { kind: 'virtualHost', gateway: gatewayKey, table: key, scope: 'exact', host: 'a.test' } as const;
    const [said] = translator.translate(snapshot, [{ ...place, before, after }]);
    before = after;
    return Object.keys(chainsOf(said?.upserts ?? []));
  };
  t.deepEqual(become(plain), []);
  t.deepEqual(become(plain, everything), Object.keys(allEmpty));
  t.deepEqual(become(plain, everything, other), []);
  t.deepEqual(become(other), []);
  t.deepEqual(become(plain), Object.keys(allEmpty));
});

test('a scope needs all that its routes and their shares fill, and no more', (t) => {
  const scopes = [
    resourcesOf({ exact: [virtualHost('a.test', [plain, everything])] }),
    resourcesOf({ fallback: [virtualHost('*.test', [everything])] }),
  ].map((resources) => resources.find((one) => one.typeUrl === typeUrls.scopedRoute && one.needs));
  for (const scope of scopes) {
    const needs = [...(scope?.needs?.values() ?? [])]
      .flat()
      .filter((name, at, all) => all.indexOf(name) === at)
      .filter((name) => !/^gatewright\.steady\./.test(name))
      .sort();
    t.deepEqual(needs, filledIn(scope?.body ?? ''));
    t.deepEqual(needs, [...allSlots].sort());
  }
  const [unused] = resourcesOf({ exact: [virtualHost('b.test', [plain])] }).filter(
    ({ name }) => name === 'http/80|b.test',
  );
  t.is(unused?.needs, undefined);
});

/** Keys of every `typed_per_filter_config` of a scope's routes. */
function filledIn(body: string): string[] {
  const { routeConfiguration } = fromBinary(ScopedRouteConfigurationSchema, bytesOfText(body));
  const routes = routeConfiguration?.virtualHosts.flatMap((each) => each.routes) ?? [];
  const shares = routes.flatMap(({ action }) => {
    const specifier = action.case === 'route' ? action.value.clusterSpecifier : undefined;
    return specifier?.case === 'weightedClusters' ? specifier.value.clusters : [];
  });
  return [...new Set([...routes, ...shares].flatMap((each) => Object.keys(each.typedPerFilterConfig)))].sort();
}
