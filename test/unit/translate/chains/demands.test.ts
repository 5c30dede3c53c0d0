import { fromBinary } from '@bufbuild/protobuf';
import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import {
  CompositeSchema,
  ExecuteFilterActionSchema,
  FilterChainConfigSchema,
  JwtAuthenticationSchema,
  TypedExtensionConfigSchema,
} from '../../../../src/envoy/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { bytesOfText } from '../../../../src/std/memory/index.ts';
import { demandsNamedIn } from '../../../../src/translate/chains/demands.ts';
import { translateChains } from '../../../../src/translate/chains/index.ts';
import type { EnvoyResource } from '../../../../src/translate/index.ts';
import { table, tableGuards } from '../../../support/ir.ts';

const chainOf = (access: ir.TableGuards | undefined, names: readonly string[] = []): EnvoyResource => {
  const [, made] = translateChains(
    { ...table('http/80', {}), ...(access && { access }) },
    { names: new Set(names), inBase: new Set(), lists: new Map() },
  );
  if (!made) throw new Error('no access chain');
  return made;
};

const filtersOf = (chain: EnvoyResource) => {
  const extension = fromBinary(TypedExtensionConfigSchema, bytesOfText(chain.body));
  const config = extension.typedConfig && anyUnpack(extension.typedConfig, FilterChainConfigSchema);
  return config?.defaultFilterChain?.filters ?? [];
};
const namesOf = (chain: EnvoyResource): string[] => filtersOf(chain).map(({ name }) => name);

/** Whether a composite's jwt filter leaves the token in the request. */
function forwards(composite: Any | undefined): boolean | undefined {
  const step = composite && anyUnpack(composite, CompositeSchema)?.matcher?.onNoMatch?.onMatch;
  const action = step?.case === 'action' && step.value.typedConfig;
  const filter = action && anyUnpack(action, ExecuteFilterActionSchema)?.typedConfig?.typedConfig;
  const { providers = {} } = (filter && anyUnpack(filter, JwtAuthenticationSchema)) || {};
  return Object.values(providers)[0]?.forward;
}

const jwt = (keys: string): ir.Access => ({
  jwt: {
    optional: false,
    providers: [{ id: 'a/b/c', audiences: [], keys, from: [], forwardToken: false, claimsToHeaders: [] }],
  },
});
const of = (host: string, demanded: ir.Access): ir.TableAccess => ({
  level: 'listener',
  source: 'a/b',
  overridable: [],
  hostnames: [host],
  ...demanded,
});

test('the version of a chain names what it demands: by place and content, not by policy', (t) => {
  t.deepEqual(demandsNamedIn(chainOf(undefined).version), []);
  const [one, other] = [chainOf(tableGuards(jwt('{"keys":[]}'))), chainOf(tableGuards(jwt('{"keys":[1]}')))];
  const [first, second] = [demandsNamedIn(one.version), demandsNamedIn(other.version)];
  t.deepEqual(
    first.map(({ digest }) => digest),
    [...(one.slots?.demands.keys() ?? [])],
  );
  t.is(first[0]?.place, second[0]?.place, 'changed keys leave it in its place');
  t.not(first[0]?.digest, second[0]?.digest);
  const [demand] = tableGuards(jwt('{"keys":[]}')).demands;
  const renamed = demand && chainOf({ demands: [{ ...demand, source: 'x/y' }] });
  t.is(renamed?.version, one.version);
  t.deepEqual(demandsNamedIn('0123456789abcdef'), []);
  t.deepEqual(demandsNamedIn('?'), []);
});

test('what a wider hostname demands is another demand when a listener takes some of its hosts', (t) => {
  const demands = [of('*', jwt('{}'))];
  const digestsOf = (hostnames: readonly string[]) => [
    ...(chainOf({ demands, hostnames }).slots?.demands.keys() ?? []),
  ];
  t.notDeepEqual(digestsOf(['*']), digestsOf(['*', '*.b.test']));
});

test('a former demand verifies beside the one of the same name, and the token goes behind both', (t) => {
  const [before, after] = [chainOf(tableGuards(jwt('{"keys":[]}'))), chainOf(tableGuards(jwt('{"keys":[1]}')))];
  const both = after.slots?.with([], before.slots?.demands.values());
  t.truthy(both);
  if (!both) return;
  const [verify, hide] = ['gatewright.gw.jwt!', 'gatewright.gw.jwt.hide!'] as const;
  t.deepEqual(namesOf(both), [verify, verify, hide, hide]);
  t.deepEqual(
    filtersOf(both)
      .slice(0, 2)
      .map(({ typedConfig }) => forwards(typedConfig)),
    [true, true],
  );
  const alone = both.slots?.with([]) ?? both;
  t.deepEqual(namesOf(alone), [verify], 'it goes when it is not asked for');
  t.deepEqual(
    filtersOf(alone).map(({ typedConfig }) => forwards(typedConfig)),
    [false],
    'and what verifies takes the token out',
  );
});

/** Of each filter that verifies tokens, whether it leaves them in the request; and how many take them out behind. */
const tokensIn = (chain: EnvoyResource) => {
  const filters = filtersOf(chain);
  return {
    left: filters.filter(({ name }) => /\.jwt!?$/.test(name)).map(({ typedConfig }) => forwards(typedConfig)),
    behind: filters.filter(({ name }) => /\.jwt\.hide/.test(name)).length,
  };
};

test('a token stays in the request while a deeper level or a route of the table may verify it', (t) => {
  const guards = tableGuards(jwt('{}'));
  t.deepEqual(tokensIn(chainOf(guards)), { left: [false], behind: 0 });
  for (const slot of ['gatewright.rt.jwt', 'gatewright.ru.jwt'])
    t.like(tokensIn(chainOf(guards, [slot])), { behind: 1 }, slot);
  t.deepEqual(tokensIn(chainOf(guards).slots?.with(['gatewright.rt.jwt']) ?? chainOf(guards)).left[0], true);
  t.deepEqual(tokensIn(chainOf(guards, ['gatewright.rt.clientIPs'])), { left: [false], behind: 0 });
  const listener = { ...jwt('{}'), level: 'listener', source: 'a/d', overridable: [] } as const;
  t.deepEqual(tokensIn(chainOf({ demands: [...guards.demands, listener] })), { left: [true, false], behind: 1 });
});

test('a token of several places, or that a request may lack, goes behind all that verify', (t) => {
  const of = (more: object, provider: object = {}): ir.Access => {
    const [first] = jwt('{}').jwt?.providers ?? [];
    return { jwt: { optional: false, providers: [{ ...first!, ...provider }], ...more } };
  };
  const header = { kind: 'header', name: 'x-token' } as const;
  for (const [access, left] of [
    [of({ optional: true }), true],
    [of({}, { from: [header, { kind: 'cookie', name: 't' }] }), true],
    [of({}, { from: [{ kind: 'query', name: 't' }] }), true],
    [of({}, { from: [{ kind: 'header', name: 'host' }] }), true],
    [of({}, { forwardToken: true }), true],
    [of({}, { from: [header] }), false],
  ] as const)
    t.deepEqual(tokensIn(chainOf(tableGuards(access))).left, [left], JSON.stringify(access));
});

test('former demands for some hosts need the host’s filters, which a chain has once', (t) => {
  const hostnames = ['a.test', 'b.test'];
  const before = chainOf({ demands: [of('a.test', jwt('{}')), of('b.test', jwt('{}'))], hostnames });
  const after = chainOf(undefined).slots?.with([], before.slots?.demands.values());
  t.deepEqual(after && namesOf(after), [
    'gatewright.host.resolve',
    'gatewright.host',
    'gatewright.ls.jwt!',
    'gatewright.ls.jwt!',
    'gatewright.ls.jwt.hide!',
    'gatewright.ls.jwt.hide!',
  ]);
});

test('a closed demand counts for what a client rejects, and former ones stay', (t) => {
  const before = chainOf(tableGuards({ clientIPs: { deny: [] } }));
  const after = chainOf(tableGuards(jwt('no JSON'))).slots?.with([], before.slots?.demands.values());
  const closed = after?.provenance?.without?.('auth/http/80', new Set(['default/policy']));
  t.deepEqual([...(closed?.slots?.own.keys() ?? [])], [...(after?.slots?.own.keys() ?? [])]);
  t.deepEqual(closed && namesOf(closed), ['gatewright.gw.clientIPs!', 'gatewright.gw.jwt!']);
  t.deepEqual(closed?.slots?.own.values().toArray()[0]?.guards.demands[0]?.closed, ['jwt']);
});
