import { keyOf } from '../../../gateway-api/index.ts';
import { compileFault, largestRegexWeight, regexWeight } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';
import { cidrFaults, cidrsOf, madeOnce } from '../../policies/index.ts';
import { readExpression } from './cel/index.ts';
import { certificateFaults, certificatesOf } from './client-certificates.ts';
import { networkCountFaults } from './client-ips.ts';
import { headerFaults } from './header-names.ts';
import { type PartDeps, type Policy, type ResolvedPart, type Spec, unlessInvalid } from './part.ts';
import { hasDotSegments } from './path-segments.ts';
import { providerId } from './provider-id.ts';

type AuthorizationSpec = NonNullable<Spec['authorization']>;
type RuleSpec = NonNullable<AuthorizationSpec['rules']>[number];
type WhenSpec = NonNullable<RuleSpec['when']>;

export const resolveAuthorization = (spec: AuthorizationSpec, { policy }: PartDeps): ResolvedPart<ir.Authorization> =>
  madeOnce(policy, 'authorization', [], () => {
    const { default: fallback = 'Deny', rules = [] } = spec;
    const faults = [
      ...networkCountFaults(policy.spec),
      ...regexFaults(rules),
      ...expressionCountFaults(rules),
      ...rules.flatMap((rule) => ruleFaults(rule, fallback, policy)),
    ];
    return unlessInvalid(faults, () => ({ default: fallback, rules: rules.map((rule) => ruleOf(rule, policy)) }));
  });

/** Of each provider whose claims some rule asks for, its ir.JwtProvider.id. */
export function readProvidersOf(policy: Policy): readonly string[] {
  const names = (policy.spec.authorization?.rules ?? [])
    .flatMap(conditionsOf)
    .flatMap(({ jwt, cel }) => [
      ...(jwt ? [providerId(jwt.provider, policy)] : []),
      ...(cel === undefined ? [] : providersIn(cel, policy)),
    ]);
  return [...new Set(names)];
}

function providersIn(cel: string, policy: Policy): readonly string[] {
  const read = expressionOf(cel, policy);
  return 'expression' in read ? tokensOf(read.expression) : [];
}

function tokensOf(expression: ir.Expression): readonly string[] {
  if (expression.kind === 'token') return [expression.provider];
  if (expression.kind === 'select') return tokensOf(expression.operand);
  if (expression.kind === 'list') return expression.elements.flatMap(tokensOf);
  return expression.kind === 'call' ? expression.args.flatMap(tokensOf) : [];
}

const conditionsOf = ({ when, any = [] }: RuleSpec): readonly WhenSpec[] => (when ? [when] : any);

const pathInCel = /request\s*\.\s*url_path/;

/** Whether some rule looks at paths, by itself or in its expression. */
export const hasPathRules = ({ authorization }: Spec): boolean =>
  (authorization?.rules ?? []).some((rule) =>
    conditionsOf(rule).some(({ paths, cel }) => paths ?? pathInCel.test(cel ?? '')),
  );

function ruleFaults(rule: RuleSpec, fallback: 'Allow' | 'Deny', policy: Policy): string[] {
  const where = `authorization rule ${rule.name}`;
  return conditionsOf(rule).flatMap((when) => [
    ...cidrFaults(`${where}: clientIPs`, when.clientIPs),
    ...certificateFaults(`${where}: clientCertificates`, when.clientCertificates),
    ...headerFaults(
      `${where}: headers`,
      (when.headers ?? []).map(({ name }) => name),
    ),
    ...(when.paths ?? []).flatMap(({ exact, prefix }) =>
      [exact, prefix]
        .flatMap((path) => (path === undefined ? [] : pathFault(path)))
        .map((fault) => `${where}: ${fault}`),
    ),
    ...expressionFaults(when, rule.action, policy).map((fault) => `${where}: ${fault}`),
    ...claimFaults(when, { action: rule.action, fallback, policy }).map((fault) => `${where}: ${fault}`),
  ]);
}

/** Paths are compared after normalization, so what is not normal would never match. */
function pathFault(path: string): string[] {
  const isNormal = path.startsWith('/') && !/[?#]|\/\//.test(path) && !hasDotSegments(path);
  return isNormal
    ? []
    : [`path ${JSON.stringify(path)} is not how a request's path reads: it begins with / and has no //, ., .., ? or #`];
}

/** Where no token was verified there are no claims, and a condition on them does not hold: that must not let a request in. */
function claimFaults(
  { jwt, not = false }: WhenSpec,
  {
    action,
    fallback,
    policy,
  }: { readonly action: 'Allow' | 'Deny'; readonly fallback: 'Allow' | 'Deny'; readonly policy: Policy },
): string[] {
  if (!jwt) return [];
  const own = (policy.spec.jwt?.providers ?? []).map(({ name }) => name);
  const isOwn = !jwt.provider.includes('/');
  return [
    ...(isOwn && !own.includes(jwt.provider)
      ? [
          `jwt.provider ${jwt.provider} is none of this policy's: it has ${own.join(', ') || 'none'}; write NAMESPACE/POLICY/PROVIDER for another one's`,
        ]
      : []),
    ...(action === 'Deny' && !not && fallback === 'Allow'
      ? ['a Deny rule by claims would let requests without a token pass: set default: Deny, and allow by claims']
      : []),
    ...(action === 'Allow' && not
      ? ['an Allow rule with not would match requests without a token: write a Deny rule instead']
      : []),
  ];
}

/** Proxies make a program of each, for each place where a policy is in force. */
const mostExpressions = 16;

function expressionCountFaults(rules: readonly RuleSpec[]): string[] {
  const count = rules.flatMap(conditionsOf).filter(({ cel }) => cel !== undefined).length;
  return count > mostExpressions
    ? [`authorization has ${count} conditions with cel, and may have ${mostExpressions}: join some with ||`]
    : [];
}

/** What goes wrong in an expression makes it not hold: that must let no request in. */
function expressionFaults({ cel, not }: WhenSpec, action: 'Allow' | 'Deny', policy: Policy): string[] {
  if (cel === undefined) return [];
  if (action === 'Deny')
    return ['cel is for Allow rules: a Deny rule would let requests pass for which its expression goes wrong'];
  if (not) return ['not would turn an expression that goes wrong into one that holds: write ! in cel instead'];
  const read = expressionOf(cel, policy);
  return 'faults' in read ? read.faults.map((fault) => `cel ${fault}`) : [];
}

const expressionOf = (cel: string, policy: Policy) =>
  readExpression(cel, (name) => {
    if (/^[^/]+\/[^/]+\/[^/]+$/.test(name)) return name;
    return policy.spec.jwt?.providers.some((provider) => provider.name === name)
      ? `${keyOf(policy)}/${name}`
      : undefined;
  });

function regexFaults(rules: readonly RuleSpec[]): string[] {
  const patterns = rules.flatMap((rule) =>
    conditionsOf(rule).flatMap(({ paths = [] }) =>
      paths.flatMap(({ regex }) => (regex === undefined ? [] : [{ rule: rule.name, regex }])),
    ),
  );
  const weight = patterns.reduce((sum, { regex }) => sum + regexWeight(regex), 0);
  if (weight > largestRegexWeight)
    return [
      `the regular expressions of authorization are too large: together they have about ${weight} steps, and may have ${largestRegexWeight}`,
    ];
  return patterns.flatMap(({ rule, regex }) => {
    const fault = compileFault(regex);
    return fault ? [`authorization rule ${rule}: the regular expression ${JSON.stringify(regex)} ${fault}`] : [];
  });
}

const ruleOf = (rule: RuleSpec, policy: Policy): ir.AuthorizationRule => ({
  id: `${keyOf(policy)}/${rule.name}`,
  action: rule.action,
  when: conditionsOf(rule).map((when) => conditionOf(when, policy)),
});

function conditionOf(when: WhenSpec, policy: Policy): ir.AccessCondition {
  const { methods, paths, headers, clientIPs, clientLocations, clientCertificates, jwt, cel, not } = when;
  const expression = cel === undefined ? undefined : expressionOf(cel, policy);
  return {
    ...(methods && { methods }),
    ...(paths && { paths: paths.map(pathOf) }),
    ...(headers && {
      headers: headers.map(({ name, values }) => ({
        name: name.toLowerCase(),
        values: values.map((value): ir.ValueMatch => ({ kind: 'exact', value })),
      })),
    }),
    ...(clientIPs && { clientIPs: cidrsOf(clientIPs) }),
    ...(clientLocations && { clientLocations }),
    ...(clientCertificates && { clientCertificates: certificatesOf(clientCertificates) }),
    ...(jwt && {
      jwt: {
        provider: providerId(jwt.provider, policy),
        scopes: jwt.scopes ?? [],
        claims: (jwt.claims ?? []).map(({ name = '', path, values }) => ({ path: path ?? [name], values })),
      },
    }),
    ...(expression && 'expression' in expression && { cel: expression.expression }),
    ...(not && { not: true as const }),
  };
}

function pathOf({ exact, prefix, regex = '' }: NonNullable<WhenSpec['paths']>[number]): ir.PathMatch {
  if (exact !== undefined) return { kind: 'exact', value: exact };
  return prefix !== undefined
    ? { kind: 'prefix', value: prefix.replace(/\/+$/, '') || '/' }
    : { kind: 'regex', value: regex };
}
