import { mergedFields } from '../kit/merge.ts';
import { type Output, objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import { type Fields, isFields } from '../kit/values.ts';
import type { Moving } from './moving.ts';
import { noteOf, type Policy, type PolicyKind, uppersOf } from './policy.ts';
import { backendTrafficPolicy, fillBackendTraffic } from './tables/backend-traffic.ts';
import { refsOf } from './targets.ts';

export const backendTrafficPolicies: PolicyKind = {
  table: backendTrafficPolicy,
  protects: false,
  fill: fillBackendTraffic,
};

/** Kinds that policies of requests may be for. */
export const requestTargets = ['Gateway', 'ListenerSet', 'HTTPRoute', 'GRPCRoute'];

const limitKinds = ['RateLimitPolicy', 'SharedRateLimitPolicy'];

/**
 * What BackendTrafficPolicies say of requests: a TrafficPolicy, and RateLimitPolicies. Theirs take the place of those of upper levels; ours hold
 * group by group, so groups of upper levels that one does not have are switched off.
 */
export function convertTraffic(policies: readonly Policy[], moving: Moving, output: Output): readonly Converted[] {
  return policies.map((policy) => {
    const { source, id, draft, notes } = policy;
    const targetRefs = refsOf(policy.targets, moving, requestTargets);
    const isMoved = policy.targets.some(
      ({ kind, namespace, name }) => moving.nameAfter(kind, namespace, name) !== undefined,
    );
    if (!isMoved)
      return {
        id,
        outcome: 'left',
        notes: [noteOf('no-effect', 'targetRefs', 'nothing that it is for is moved'), ...notes],
      };
    const uppers = uppersOf(policy, policies, moving);
    const file = `${source.namespace}/backendtrafficpolicy-${source.name}.yaml`;
    const traffic = trafficOf(policy, uppers);
    if (targetRefs.length === 0) {
      if (traffic !== undefined || limitKinds.some((kind) => draft.of(kind) !== undefined))
        notes.push(
          noteOf(
            'cannot',
            'targetRefs',
            'requests of HTTPRoutes and GRPCRoutes have such policies, and no connections',
          ),
        );
    } else {
      if (traffic !== undefined)
        output.add(
          file,
          objectOf('gatewright.dev/v1alpha1', 'TrafficPolicy', source.namespace, source.name, {
            targetRefs,
            ...traffic,
          }),
          notes,
        );
      if (!policy.isMerged && uppers.some((upper) => limitKinds.some((kind) => upper.draft.of(kind) !== undefined)))
        notes.push(
          noteOf('differs', 'rateLimit', 'limits of upper levels hold too, and are not replaced by this policy'),
        );
      for (const kind of limitKinds) {
        const spec = draft.of(kind);
        if (spec === undefined) continue;
        const name = kind === 'RateLimitPolicy' ? source.name : `${source.name}-shared`;
        output.add(
          file,
          objectOf('gatewright.dev/v1alpha1', 'RateLimitPolicy', source.namespace, name, {
            targetRefs,
            ...perRoute(spec, policy),
          }),
          traffic === undefined ? notes : [],
        );
      }
    }
    return { id, outcome: 'converted', notes };
  });
}

/** The groups of a policy, and those that it switches off. */
function trafficOf({ draft, isMerged }: Policy, uppers: readonly Policy[]): Fields | undefined {
  const own = draft.of('TrafficPolicy');
  const above = uppers.map((upper) => upper.draft.of('TrafficPolicy')).filter(isFields);
  if (isMerged) {
    const [upper] = above;
    if (own === undefined || upper === undefined) return own;
    return Object.fromEntries(Object.keys(own).map((group) => [group, mergedFields(upper, own)?.[group]]));
  }
  const off = [...new Set(above.flatMap((groups) => Object.keys(groups)))].filter(
    (group) => own?.[group] === undefined,
  );
  if (own === undefined && off.length === 0) return undefined;
  return { ...(off.length > 0 && { disabled: off.sort() }), ...own };
}

/** Of a Gateway each route counts by itself, unless a rule is shared. */
function perRoute(spec: Fields, { targets, source }: Policy): Fields {
  if (!targets.some(({ kind }) => kind === 'Gateway' || kind === 'ListenerSet')) return spec;
  const rules = sharedRules(source.spec);
  return {
    ...spec,
    buckets: (spec.buckets as readonly Fields[]).map((bucket) =>
      rules.has(String(bucket.name))
        ? bucket
        : { ...bucket, key: [...((bucket.key as readonly Fields[] | undefined) ?? []), { type: 'Route' }] },
    ),
  };
}

/** Names of the buckets of rules with `shared: true`. */
function sharedRules(spec: Fields): ReadonlySet<string> {
  const { local, global } = isFields(spec.rateLimit) ? spec.rateLimit : {};
  const names = [local, global].flatMap((part) =>
    isFields(part) && Array.isArray(part.rules)
      ? part.rules.flatMap((rule, index) => (isFields(rule) && rule.shared === true ? [`rule-${index + 1}`] : []))
      : [],
  );
  return new Set(names);
}
