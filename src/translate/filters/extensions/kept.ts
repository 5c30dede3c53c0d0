import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { packAny, RBAC_Action, RBACFilterSchema, SetFilterStateSchema } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import type { Expr } from '../access/cel.ts';
import { policyOf } from '../access/client-ips.ts';
import { everyone, not } from '../access/principals.ts';
import type { NamedFilter, TableFilter } from '../slot.ts';
import { moduleGuards } from '../steady.ts';

/*
 * Envoy has no rule for what a module may change. When it changes any header, Envoy 1.40 looks for the scope and the route again, so it could choose
 * another route, whose policies have not judged the request. So what a request is goes into its state before the module and at the end of the chain,
 * and a request for which that differs is denied.
 */

const stateName = 'gatewright.extensions.request';
const [before, after] = [`${stateName}.before`, `${stateName}.after`];

/** What a processor or script may not change, either. */
const headers = [
  ':authority',
  ':method',
  ':path',
  ':scheme',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  `${ir.ownHeaderPrefix}scope`,
  'x-envoy-hedge-on-per-try-timeout',
  'x-envoy-max-retries',
  'x-envoy-original-dst-host',
  'x-envoy-retry-grpc-on',
  'x-envoy-retry-on',
  'x-envoy-upstream-alt-stat-name',
  'x-envoy-upstream-rq-per-try-timeout-ms',
  'x-envoy-upstream-rq-timeout-ms',
];

/** No header has a line break. */
const inlineString = ['%ROUTE_NAME%', ...headers.map((name) => `%REQ(${name})%`)].join('\n');

const stateOf = (name: string): Any =>
  packAny(
    SetFilterStateSchema,
    create(SetFilterStateSchema, {
      onRequestHeaders: [
        {
          key: { case: 'objectKey', value: name },
          factoryKey: 'envoy.string',
          value: {
            case: 'formatString',
            value: {
              format: { case: 'textFormatSource', value: { specifier: { case: 'inlineString', value: inlineString } } },
            },
          },
        },
      ],
    }),
  );

/** What a request is before a module sees it. */
export const requestBefore = stateOf(before);

const isThere = (key: string): Parameters<typeof not>[0] => ({
  identifier: {
    case: 'filterState',
    value: {
      key,
      matcher: { case: 'stringMatch', value: { matchPattern: { case: 'safeRegex', value: { regex: '(?s).*' } } } },
    },
  },
});

const stateAt = (id: bigint, key: string): Expr => ({
  id,
  exprKind: {
    case: 'callExpr',
    value: {
      function: '_[_]',
      args: [
        { id: id + 1n, exprKind: { case: 'identExpr', value: { name: 'filter_state' } } },
        {
          id: id + 2n,
          exprKind: { case: 'constExpr', value: { constantKind: { case: 'stringValue', value: key } } },
        },
      ],
    },
  },
});

const isSame: Expr = {
  id: 1n,
  exprKind: { case: 'callExpr', value: { function: '_==_', args: [stateAt(2n, before), stateAt(5n, after)] } },
};

const rbac = (rules: { readonly [name: string]: ReturnType<typeof policyOf> } | undefined): Any =>
  packAny(
    RBACFilterSchema,
    create(RBACFilterSchema, rules && { rules: { action: RBAC_Action.ALLOW, policies: { ...rules } } }),
  );

const isSameAsBefore = rbac({
  'no module': policyOf(not(isThere(before))),
  'as before': policyOf(everyone, isSame),
});

/** In this order. */
const checks: readonly NamedFilter[] = [
  // Of all filters this one alone has Envoy 1.36 look for the route, before the next one asks for its name.
  { name: 'route', typedConfig: rbac(undefined) },
  { name: 'after', typedConfig: stateOf(after) },
  { name: 'same', typedConfig: isSameAsBefore },
];

/**
 * The last of all: nothing behind them waits, so nothing changes the request any more. They are for all routes of a table in which modules run, since one
 * may have chosen any of them. As filters of the chain itself they belong to the request, whatever happens to the chain.
 */
export const keptChecks: readonly TableFilter[] = checks.map(({ name, typedConfig: filter }) => ({
  chain: 'traffic',
  filterOf: (_, names) => (names.has(moduleGuards) ? { name: `${stateName}.${name}`, filter } : undefined),
}));
