import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { type PrincipalSchema, packAny, RBACFilterSchema, type ValueMatcherSchema } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import { stringMatcher } from '../../resource/index.ts';
import { fromLocations } from '../geo.ts';
import { celExpr } from './cel.ts';
import { hasCertificate } from './client-certificates.ts';
import { fromNetwork, type Policy, policyOf } from './client-ips.ts';
import { jwtMetadata } from './jwt.ts';
import { allOf, anyOf, everyone, not } from './principals.ts';

type Principal = MessageInitShape<typeof PrincipalSchema>;

/**
 * One filter: each Allow rule is a policy, which takes no request that a Deny rule names. Envoy's response code details name the policy that
 * let a request in.
 */
export function authorization(demanded: ir.Authorization): Any {
  const { default: otherwise, rules } = demanded;
  const denied = [
    ...(ir.looksAtPaths(demanded) ? [pathOf(ir.ambiguousPath)] : []),
    ...rules.filter(({ action }) => action === 'Deny').map(principalOf),
  ];
  const isNotDenied = denied.length === 0 ? [] : [not(anyOf(denied))];
  const policies: Record<string, Policy> = {};
  for (const { id, principal, cel } of rules.flatMap(waysIn))
    policies[id] = policyOf(allOf([...isNotDenied, principal]), cel && celExpr(cel));
  if (otherwise === 'Allow') policies.default = policyOf(allOf(isNotDenied));
  return packAny(RBACFilterSchema, create(RBACFilterSchema, { rules: { policies } }));
}

interface WayIn {
  readonly id: string;
  readonly principal: Principal;
  readonly cel?: ir.Expression;
}

/** What of an Allow rule lets requests in. Envoy's expressions are of a policy as a whole, so each condition with one is a way of its own. */
function waysIn(rule: ir.AuthorizationRule): WayIn[] {
  if (rule.action !== 'Allow') return [];
  const { id, when } = rule;
  const plain = when.filter(({ cel }) => !cel);
  const others = when.flatMap((condition) =>
    condition.cel ? { principal: conditionOf(condition, rule.action), cel: condition.cel } : [],
  );
  const all = [
    ...(plain.length > 0 || others.length === 0 ? [{ principal: principalOf({ ...rule, when: plain }) }] : []),
    ...others,
  ];
  return all.map((way, index) => ({ id: index === 0 ? id : `${id}#${index}`, ...way }));
}

const principalOf = ({ when, action }: ir.AuthorizationRule): Principal =>
  when.length === 0 ? everyone : anyOf(when.map((condition) => conditionOf(condition, action)));

function conditionOf(condition: ir.AccessCondition, action: 'Allow' | 'Deny'): Principal {
  const { methods, paths, headers = [], clientIPs, clientLocations, clientCertificates, jwt, not: turned } = condition;
  const all = allOf([
    ...(methods ? [anyOf(methods.map((value) => header(':method', { kind: 'exact', value })))] : []),
    ...(paths
      ? [anyOf(paths.map((path) => pathOf(ir.deniesByPath(action, condition) ? ir.withPathParameters(path) : path)))]
      : []),
    ...headers.map(({ name, values }) => anyOf(values.map((value) => header(name, value)))),
    ...(clientIPs ? [anyOf(clientIPs.map(fromNetwork))] : []),
    ...(clientLocations ? [fromLocations(clientLocations, ir.deniesByPath(action, condition))] : []),
    ...(clientCertificates ? [hasCertificate(clientCertificates)] : []),
    ...(jwt ? claimsOf(jwt) : []),
  ]);
  return turned ? not(all) : all;
}

const header = (name: string, match: ir.ValueMatch): Principal => ({
  identifier: {
    case: 'header',
    value: { name, headerMatchSpecifier: { case: 'stringMatch', value: stringMatcher(match) } },
  },
});

/** As routes compare paths: a prefix is by whole segments, and the query does not count. */
function pathOf({ kind, value }: ir.PathMatch): Principal {
  if (kind !== 'prefix') return urlPath(stringMatcher({ kind, value }));
  if (value === '/') return everyone;
  const below = urlPath({ matchPattern: { case: 'prefix', value: `${value}/` } });
  return anyOf([urlPath(stringMatcher({ kind: 'exact', value })), below]);
}

const urlPath = (path: ReturnType<typeof stringMatcher>): Principal => ({
  identifier: { case: 'urlPath', value: { rule: { case: 'path', value: path } } },
});

/** A provider that did not run has no metadata, so that nothing of it matches. */
const claimsOf = ({ provider, scopes, claims }: NonNullable<ir.AccessCondition['jwt']>): Principal[] => [
  ...(scopes.length + claims.length === 0 ? [isVerifiedBy(provider)] : []),
  ...scopes.map((scope) => claim(provider, ['scope'], scope)),
  ...claims.map(({ path, values }) => anyOf(values.map((value) => claim(provider, path, value)))),
];

const isVerifiedBy = (provider: string): Principal =>
  metadata([provider], { matchPattern: { case: 'presentMatch', value: true } });

type ValueMatcher = MessageInitShape<typeof ValueMatcherSchema>;

/** Whether a claim is a text or a list is not known beforehand. */
function claim(provider: string, path: readonly string[], value: string): Principal {
  const text: ValueMatcher = {
    matchPattern: { case: 'stringMatch', value: { matchPattern: { case: 'exact', value } } },
  };
  const inList: ValueMatcher = {
    matchPattern: { case: 'listMatch', value: { matchPattern: { case: 'oneOf', value: text } } },
  };
  const either: ValueMatcher = { matchPattern: { case: 'orMatch', value: { valueMatchers: [text, inList] } } };
  return metadata([provider, ...path], either);
}

const metadata = (path: readonly string[], value: ValueMatcher): Principal => ({
  identifier: {
    case: 'sourcedMetadata',
    value: {
      metadataMatcher: {
        filter: jwtMetadata,
        path: path.map((key) => ({ segment: { case: 'key' as const, value: key } })),
        value,
      },
    },
  },
});
