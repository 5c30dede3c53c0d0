import type * as ir from '../../ir/index.ts';
import { joinFilters, needsOwnRoute } from '../filters/index.ts';
import { million } from '../resource/index.ts';

/** A rule as one Envoy route can do it, with how many of a million requests come to it. */
export interface RulePart {
  readonly rule: ir.RouteRule;
  /** Of a million requests, those that this part or one before it takes; undefined: whatever is left. */
  readonly upToMillionths?: number;
}

/**
 * Envoy rewrites paths, and has some filters, by route, not by share. Where shares differ in these, each becomes a route of
 * its own; the routes are tried in order and compare the same random number, so their limits add up. Otherwise the rule is
 * one part.
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

const needsRoute = ({ rewrite, filters }: ir.WeightedBackend): boolean =>
  rewrite !== undefined || needsOwnRoute(filters);

/** The rule for one backend, with what the backend asks of the route. */
function alone(rule: ir.RouteRule, action: ir.ForwardAction, share: ir.WeightedBackend): ir.RouteRule {
  const { rewrite, ...rest } = share;
  return {
    ...rule,
    filters: joinFilters(rule.filters, share.filters),
    ...((rule.rewrite ?? rewrite) && { rewrite: { ...rule.rewrite, ...rewrite } }),
    action: { ...action, backends: [rest] },
  };
}
