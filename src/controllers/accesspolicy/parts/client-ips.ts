import type * as ir from '../../../ir/index.ts';
import { cidrFaults, cidrsOf, maxNetworks } from '../../policies/index.ts';
import { type PartDeps, type ResolvedPart, type Spec, unlessInvalid } from './part.ts';

export function resolveClientIPs(
  spec: NonNullable<Spec['clientIPs']>,
  { policy }: PartDeps,
): ResolvedPart<ir.ClientIPs> {
  const { allow, deny = [] } = spec;
  const faults = [
    ...cidrFaults('clientIPs.allow', allow),
    ...cidrFaults('clientIPs.deny', deny),
    ...networkCountFaults(policy.spec),
  ];
  return unlessInvalid(faults, () => ({ ...(allow && { allow: cidrsOf(allow) }), deny: cidrsOf(deny) }));
}

/** Those of rules of authorization count too. */
export function networkCountFaults({ clientIPs, authorization }: Spec): string[] {
  const conditions = (authorization?.rules ?? []).flatMap(({ when, any = [] }) => (when ? [when] : any));
  const count = [clientIPs?.allow, clientIPs?.deny, ...conditions.map((when) => when.clientIPs)].reduce(
    (sum, list = []) => sum + list.length,
    0,
  );
  return count <= maxNetworks ? [] : [`${count} networks in one policy: at most ${maxNetworks} may be in it`];
}
