import { objectKey } from '../../gateway-api/index.ts';
import type { GatewaySettings, ReferenceLookup, RouteSettings } from '../../graph/engine/index.ts';
import { withCors } from '../../graph/filters/index.ts';
import { compareAge } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { routeTargetKey } from '../policies/index.ts';
import { corsAt, demandsOf, overridableOf, sourceOf } from './demands.ts';
import { demandsPart, namespaceOf, type Policy } from './parts/index.ts';
import { accessTargets } from './targets.ts';

export const gatewayTarget = (gateway: string) => routeTargetKey('Gateway', gateway);

/** What Gateways demand of all requests. */
export const guards: GatewaySettings = {
  edge: accessTargets.edge,
  targetOf: gatewayTarget,
  corsOf: (gateway, lookup) => corsAt(gatewayTarget(gateway), undefined, lookup),
  guardOf({ key, clientCertificate }, lookup) {
    const place = { target: gatewayTarget(key), section: undefined, level: 'gateway' as const, clientCertificate };
    const { access, policies, backends } = demandsOf(place, lookup);
    const sectioned = listenerPoliciesOf(key, lookup);
    if (!access && sectioned.length === 0) return undefined;
    const source = sourceOf([...policies, ...sectioned]);
    return { access: { ...withClosed(access, sectioned), source, overridable: overridableOf(policies) }, backends };
  },
};

/** Those that name a listener, which their definition does not allow: they close the whole, since it cannot be guarded in part. */
const listenerPoliciesOf = (gateway: string, { edges, store }: ReferenceLookup): Policy[] =>
  [...edges.of(accessTargets.edge).sourcesOf(gatewayTarget(gateway))]
    .flatMap((key) => store.find('AccessPolicy', key) ?? [])
    .filter((policy) =>
      policy.spec.targetRefs.some(
        ({ kind, name, sectionName }) =>
          kind === 'Gateway' && sectionName !== undefined && objectKey(namespaceOf(policy), name) === gateway,
      ),
    )
    .sort(compareAge);

function withClosed({ closed = [], ...access }: ir.Access = {}, policies: readonly Policy[]): ir.Access {
  const more = (part: ir.AccessPart) => policies.some(({ spec }) => demandsPart(spec, part));
  const parts = ir.accessParts.filter((part) => closed.includes(part) || more(part));
  return { ...(parts.length > 0 && { closed: parts }), ...access };
}

/** What routes and rules add to that. */
export const routeAccess: RouteSettings = {
  edge: accessTargets.edge,
  settingOf({ route, rule, clientCertificate }, { filters }, lookup) {
    if (lookup.edges.of(accessTargets.edge).count(route) === 0) return undefined;
    const at = (section: string | undefined) =>
      demandsOf({ target: route, section, level: 'route', clientCertificate }, lookup);
    const [whole, own] = [at(undefined), rule === undefined ? undefined : at(rule)];
    const policies = [...whole.policies, ...(own?.policies ?? [])];
    const overrides = ir.accessParts.filter((part) => policies.some(({ spec }) => spec.overrides?.includes(part)));
    const access: ir.RouteAccess = {
      ...(whole.access && { route: whole.access }),
      ...(own?.access && { rule: own.access }),
      ...(overrides.length > 0 && { overrides }),
    };
    const cors = (rule === undefined ? undefined : corsAt(route, rule, lookup)) ?? corsAt(route, undefined, lookup);
    const isEmpty = Object.keys(access).length === 0;
    if (isEmpty && !cors) return undefined;
    const guarded = isEmpty ? filters : withAccess(filters, access);
    return { fields: { filters: cors ? withCors(guarded, cors) : guarded } };
  },
};

/** Fields in the order of the interface, since digests are made of them. */
function withAccess(filters: ir.RouteFilters = {}, access: ir.RouteAccess): ir.RouteFilters {
  const { externalAuth, ...others } = filters;
  return { ...others, access, ...(externalAuth && { externalAuth }) };
}
