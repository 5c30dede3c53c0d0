import { fromBinary } from '@bufbuild/protobuf';
import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import {
  FilterConfigSchema,
  HttpConnectionManagerSchema,
  ListenerSchema,
  ScopedRouteConfigurationSchema,
  TypedExtensionConfigSchema,
  typeUrls,
} from '../../../../src/envoy/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { bytesOfText } from '../../../../src/std/memory/index.ts';
import { slots } from '../../../../src/translate/filters/index.ts';
import type { EnvoyResource } from '../../../../src/translate/index.ts';
import {
  backendKey,
  forwardAuthBy,
  httpListener,
  route,
  snapshotOf,
  table,
  tableGuards,
  translateAll,
  virtualHost,
} from '../../../support/ir.ts';
import { filtersOfChain } from '../../../support/slot-lists.ts';

const key = 'http/80';
const [auth, base, earlier] = [`auth/${key}`, `base/${key}`, `access/${key}`];
const asked: ir.ForwardAuth = forwardAuthBy('auth', { timeoutMs: 1000, statusOnError: 503 });
const noClient: ir.Access = { clientIPs: { allow: [], deny: [] } };
const login: ir.Oidc = {
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
const cookies = 'gatewright.login.oidc.cookies';

const demanding = (access: ir.Access, host = 'asks.test') =>
  virtualHost(host, [route(host, '/', { filters: { access: { route: access } } })]);
const plain = virtualHost('plain.test', [route('plain', '/')]);

interface Content extends Partial<ir.RouteTable> {
  readonly hosts: readonly ir.VirtualHost[];
  readonly others?: readonly ir.VirtualHost[];
}

const resourcesOf = ({ hosts, others = [], ...more }: Content): readonly EnvoyResource[] => {
  const content = { ...table(key, { exact: hosts, fallback: others }), ...more };
  return translateAll(snapshotOf({ listeners: [httpListener(key)], tables: [content] }));
};

const bytesOf = (resources: readonly EnvoyResource[], named: string) =>
  bytesOfText(resources.find(({ name }) => name === named)?.body ?? '');

const filtersIn = (resources: readonly EnvoyResource[], chain: string): readonly string[] =>
  filtersOfChain(bytesOf(resources, chain)).map(({ name }) => name);

/** What scopes say of chains: by host. */
const switches = (resources: readonly EnvoyResource[]): Record<string, Record<string, string>> =>
  Object.fromEntries(
    resources
      .filter(({ typeUrl }) => typeUrl === typeUrls.scopedRoute)
      .map(({ name, body }) => {
        const { routeConfiguration } = fromBinary(ScopedRouteConfigurationSchema, bytesOfText(body));
        const said = Object.entries(routeConfiguration?.typedPerFilterConfig ?? {}).flatMap(([filter, config]) => {
          const { disabled, config: inner } = anyUnpack(config, FilterConfigSchema) ?? {};
          return /^(auth|base)\//.test(filter) ? [[filter, disabled ? 'off' : inner ? 'on' : 'wrong'] as const] : [];
        });
        return [name.slice(key.length + 1), Object.fromEntries(said)];
      }),
  );
const meetsBase = { [auth]: 'off', [base]: 'on' };

test('connection managers have the full chain on, and the other one off', (t) => {
  const { filterChains } = fromBinary(ListenerSchema, bytesOf(resourcesOf({ hosts: [] }), key));
  const managers = filterChains.flatMap(({ filters }) =>
    filters.flatMap(
      ({ configType: { value } }) => (value && anyUnpack(value as Any, HttpConnectionManagerSchema)) ?? [],
    ),
  );
  const named = managers.flatMap(({ httpFilters }) =>
    httpFilters.flatMap(({ name, disabled }) => (/^(auth|base|access)\//.test(name) ? [[name, disabled]] : [])),
  );
  t.deepEqual(named, [
    [auth, false],
    [base, true],
  ]);
});

test('exact hosts whose requests do not wait meet the other chain, whether those of others wait or not', (t) => {
  const others = [virtualHost('*.wild.test', [route('wild', '/')])];
  const first = virtualHost('first.test', [route('first', '/')], { preRoutingAuth: [asked] });
  for (const access of [noClient, { forwardAuth: asked }]) {
    const hosts = [plain, demanding(access), first, virtualHost('none.test', [], { fallThrough: true })];
    t.deepEqual(switches(resourcesOf({ hosts, others })), {
      'plain.test': meetsBase,
      'asks.test': access === noClient ? meetsBase : {},
      'first.test': {},
      'none.test': meetsBase,
      '*': {},
    });
  }
});

test('parts of a host, whose routes are found late, keep the full chain', (t) => {
  const many = Array.from({ length: 600 }, (_, at) => route(`r${at}`, `/r${at}`));
  const found = Object.values(switches(resourcesOf({ hosts: [virtualHost('large.test', many)] })));
  t.true(found.length > 2);
  t.true(found.every((said) => Object.keys(said).length === 0));
});

test('beside requests that wait, the other chain has what the table demands and what its own hosts do', (t) => {
  const hosts = [plain, demanding({ forwardAuth: asked })];
  t.deepEqual(filtersIn(resourcesOf({ hosts }), base), []);
  const denying = demanding(noClient, 'denies.test');
  const found = resourcesOf({
    hosts: [...hosts, denying],
    others: [demanding({ csrf: { additionalOrigins: [] } }, '*')],
  });
  t.deepEqual(filtersIn(found, base), ['gatewright.rt.clientIPs']);
  const needs = found.find(({ name }) => name === `${key}|denies.test`)?.needs;
  t.deepEqual(needs?.get(base), ['gatewright.rt.clientIPs']);
  t.deepEqual(needs?.get(auth), ['gatewright.rt.clientIPs'], 'a host in capitals is found late');
  const resources = resourcesOf({ hosts, access: tableGuards(noClient) });
  t.deepEqual(filtersIn(resources, base), ['gatewright.gw.clientIPs!']);
  t.true(filtersIn(resources, auth).length > 80);
  t.deepEqual(filtersIn(resources, earlier), filtersIn(resources, auth));
});

test('where requests wait for what the table itself demands, both chains are the same', (t) => {
  const resources = resourcesOf({ hosts: [plain], access: tableGuards({ forwardAuth: asked }) });
  const of = (name: string) => fromBinary(TypedExtensionConfigSchema, bytesOf(resources, name)).typedConfig?.value;
  t.deepEqual(of(base), of(auth));
  t.deepEqual(of(earlier), of(auth));
});

test('cookies of a login are hidden from backends of other hosts, before browsers have any', (t) => {
  for (const hosts of [
    [plain, demanding({ oidc: login })],
    [plain, demanding({ oidc: login, forwardAuth: asked })],
  ]) {
    const resources = resourcesOf({ hosts });
    t.deepEqual(filtersIn(resources, base), [cookies]);
    const needs = resources.find(({ name }) => name === `${key}|asks.test`)?.needs;
    t.deepEqual(needs?.get(base), [`${cookies}/0a`]);
  }
});

test('what may do something for routes that do not fill it is all that chains have beside them', (t) => {
  const beside = slots.filter(({ chain, apart }) => chain === 'access' && apart);
  t.true(
    beside.every(({ apart }) => apart?.runsOwn),
    'a chain that has outlasted what requests waited for has these alone',
  );
});
