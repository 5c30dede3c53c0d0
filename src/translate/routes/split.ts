import type * as ir from '../../ir/index.ts';

/** A rule as one Envoy route can do it, with how many of a million requests come to it. */
export interface RulePart {
  readonly rule: ir.RouteRule;
  /** Of a million requests, those that this part or one before it takes; undefined: whatever is left. */
  readonly upToMillionths?: number;
}

const million = 1_000_000;

/**
 * Envoy rewrites paths, copies requests and asks others about them by route, not by share. Where shares differ in these, each becomes a route of
 * its own; the routes are tried in order and compare the same random number, so their limits add up. Otherwise the
 * rule is one part.
 */
export function splitRule(rule: ir.RouteRule): readonly RulePart[] {
  const { action } = rule;
  if (action.kind !== 'forward' || !action.backends.some(needsRoute)) return [{ rule }];
  const shares = action.backends.filter(({ weight }) => weight > 0);
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  let taken = 0;
  return shares.map((share, index) => {
    taken += share.weight;
    const part = { rule: alone(rule, action, share) };
    return index === shares.length - 1 ? part : { ...part, upToMillionths: Math.round((taken * million) / total) };
  });
}

const needsRoute = ({ rewrite, filters: { mirrors, externalAuth } = {} }: ir.WeightedBackend): boolean =>
  rewrite !== undefined || mirrors !== undefined || externalAuth !== undefined;

/** The rule for one share, with what the share asks of the route. */
function alone(rule: ir.RouteRule, action: ir.ForwardAction, share: ir.WeightedBackend): ir.RouteRule {
  const { rewrite, filters: { mirrors, externalAuth, ...headers } = {}, ...rest } = share;
  const copies = [...(rule.filters?.mirrors ?? []), ...(mirrors ?? [])];
  const auths = [...(rule.filters?.externalAuth ?? []), ...(externalAuth ?? [])];
  return {
    ...rule,
    ...((rule.rewrite ?? rewrite) && { rewrite: { ...rule.rewrite, ...rewrite } }),
    filters: {
      ...rule.filters,
      ...(copies.length > 0 && { mirrors: copies }),
      ...(auths.length > 0 && { externalAuth: auths }),
    },
    action: { ...action, backends: [{ ...rest, filters: headers }] },
  };
}
