import { keyOf } from '../../gateway-api/index.ts';
import type { ReferenceLookup } from '../../graph/engine/index.ts';
import { corsOf } from '../../graph/filters/index.ts';
import * as ir from '../../ir/index.ts';
import { routePoliciesOf } from '../policies/index.ts';
import { accessPolicyEdges } from './edges.ts';
import {
  closesFor,
  demandsPart,
  type Level,
  type Policy,
  type PolicyPart,
  resolveCors,
  resolvePart,
} from './parts/index.ts';
import { accessTargets } from './targets.ts';

/** What the policies of one target demand together. */
export interface Demands {
  /** Undefined: nothing. */
  readonly access?: ir.Access;
  /** All that it comes from, the oldest first. */
  readonly policies: readonly Policy[];
  /** Keys of the backends that are asked. */
  readonly backends: readonly string[];
}

/** What a target is, and where it is in force. */
export interface Place {
  readonly target: string;
  /** Name of the rule, of policies for it alone. */
  readonly section: string | undefined;
  readonly level: Level;
  readonly clientCertificate: string | undefined;
}

/** Different parts of several policies add up; of one part the oldest policy's is in force. */
export function demandsOf({ target, section, level, clientCertificate }: Place, lookup: ReferenceLookup): Demands {
  const policies = routePoliciesOf(accessTargets, target, section, lookup);
  const readers = lookup.edges.of(accessPolicyEdges.claims);
  const readsClaims = (provider: string) => readers.count(provider) > 0;
  const closed: ir.AccessPart[] = [];
  const unavailable: ir.AccessPart[] = [];
  const values: [ir.AccessPart, object][] = [];
  const backends: string[] = [];
  const others: string[] = [];
  for (const part of ir.accessParts) {
    const policy = holderOf(part, policies);
    const resolved =
      policy && resolvePart(part, { policy, level, store: lookup.store, readsClaims, clientCertificate });
    if (!resolved) continue;
    if (resolved.value) values.push([part, resolved.value]);
    else closed.push(part);
    if (!resolved.value && resolved.isUnavailable) unavailable.push(part);
    backends.push(...(resolved.backends ?? []));
    if (part !== 'forwardAuth') others.push(...(resolved.backends ?? []));
  }
  const held = Object.fromEntries(values) as ir.Access;
  if (isLeftOpen(held, closed)) closed.push('oidc');
  const isEmpty = closed.length === 0 && values.length === 0;
  const access: ir.Access | undefined = isEmpty
    ? undefined
    : {
        ...(closed.length > 0 && { closed }),
        ...(unavailable.length > 0 && { unavailable }),
        ...(others.length > 0 && { others }),
        ...held,
      };
  return { ...(access && { access }), policies, backends };
}

/**
 * Requests that need no login are for the tokens' part, or for the one that takes tokens among other credentials. That of an older policy may be in
 * force, which lets them in without any.
 */
const isLeftOpen = ({ oidc, jwt, any }: ir.Access, closed: readonly ir.AccessPart[]): boolean =>
  oidc !== undefined &&
  oidc.passThrough.length > 0 &&
  !closed.includes('jwt') &&
  !closed.includes('any') &&
  !any &&
  (!jwt || jwt.optional);

/** What the policies of one target say of CORS; undefined: nothing. What is invalid permits nothing. */
export function corsAt(target: string, section: string | undefined, lookup: ReferenceLookup): ir.Cors | undefined {
  const policy = holderOf('cors', routePoliciesOf(accessTargets, target, section, lookup));
  return policy && (resolveCors(policy)?.value ?? corsOf({}));
}

/** The policy whose part is in force; one that only closes goes before older ones. `policies`: those of the target, the oldest first. */
export function holderOf(part: PolicyPart, policies: readonly Policy[]): Policy | undefined {
  const demanding = policies.filter(({ spec }) => demandsPart(spec, part));
  return demanding.find((policy) => closesFor(policy) !== undefined) ?? demanding[0];
}

/** Parts of the levels above that these policies switch off. */
export const overridesOf = (policies: readonly Policy[]): ir.AccessPart[] =>
  ir.accessParts.filter((part) => policies.some(({ spec }) => spec.overrides?.includes(part)));

/** Parts that routes may switch off: what the policy says whose part is in force. */
export const overridableOf = (policies: readonly Policy[]): ir.AccessPart[] =>
  ir.accessParts.filter((part) => holderOf(part, policies)?.spec.overridable?.includes(part));

/** Parts of these policies' level that lower levels switch off, of those that they would do without. */
export const switchedOffOf = (
  policies: readonly Policy[],
  overrides: readonly ir.AccessPart[],
): readonly ir.AccessPart[] =>
  ir.switchedOffParts(
    {
      overridable: overridableOf(policies),
      letsPass: (holderOf('oidc', policies)?.spec.oidc?.passThrough ?? []).length > 0,
    },
    overrides,
  );

/** The first policy that demands something. */
const firstOf = (policies: readonly Policy[]): Policy | undefined =>
  policies.find(({ spec }) => ir.accessParts.some((part) => demandsPart(spec, part)));

export function sourceOf(policies: readonly Policy[]): string {
  const first = firstOf(policies);
  return first ? keyOf(first) : '';
}

/** When that one was created. */
export const sinceOf = (policies: readonly Policy[]): string => firstOf(policies)?.metadata.creationTimestamp ?? '';
