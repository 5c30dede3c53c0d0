import { extensionPolicyAffected, keyOf } from '../../gateway-api/index.ts';
import type { ReferenceLookup, RouteSettings, TrafficSettings } from '../../graph/engine/index.ts';
import type { TargetNote, Treatment } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { ownerTarget, targetNote } from '../policies/index.ts';
import { holdingsAt } from './explain.ts';
import { contentOf } from './extension.ts';
import { policiesAbove, policiesAt, policiesOfRule, type Row, rowOf } from './row.ts';
import { extensionTargets } from './targets.ts';

const { edge } = extensionTargets;

/** Extensions of Gateways, ListenerSets and listeners. */
export const listenerExtensions: TrafficSettings = {
  edge,
  targetOf: ownerTarget,
  noteAt: (owner, listener, lookup) => noteOf(ownerTarget(owner), [listener], lookup),
  holdingsAt,
  trafficOf({ key, clientCertificate }, lookup) {
    return (listener) => {
      const row = rowOf(policiesAbove(key, listener, lookup));
      if (row.acting.length === 0) return undefined;
      const filters = treatmentBy(row, clientCertificate, lookup);
      return { rules: { extensions: row.acting.map(({ policy }) => keyOf(policy)) }, ...(filters && { filters }) };
    };
  },
};

function treatmentBy(
  { acting, closes }: Row,
  clientCertificate: string | undefined,
  { store }: ReferenceLookup,
): Treatment | undefined {
  const filters: Partial<Record<ir.ExtensionPlace, ir.Extension>> = {};
  const sources: Partial<Record<ir.ExtensionPlace, string>> = {};
  const closed: ir.ExtensionPlace[] = [];
  for (const { policy, place } of acting) {
    const content = place === closes ? 'closed' : contentOf(policy, clientCertificate, store);
    if (content === 'closed') closed.push(place);
    else if (content) [filters[place], sources[place]] = [content, keyOf(policy)];
  }
  if (closed.length === 0 && Object.keys(filters).length === 0) return undefined;
  return { filters, sources, ...(closed.length > 0 && { closed }) };
}

/** Those of routes and rules, behind those of their listener. */
export const routeExtensions: RouteSettings = {
  edge,
  settingOf(owner, { filters, trafficSources }, lookup) {
    if (lookup.edges.of(edge).count(owner.route) === 0) return undefined;
    const { acting, closes } = rowOf(policiesOfRule(owner, lookup), owner.traffic?.rules?.extensions);
    const found = acting.flatMap(({ policy, place }) => {
      const content = contentOf(policy, owner.clientCertificate, lookup.store);
      return content === undefined ? [] : [{ place, content, source: keyOf(policy) }];
    });
    if (found.length === 0 && !closes) return undefined;
    const own = {
      ...Object.fromEntries(found.map(({ place, content }) => [place, content])),
      ...(closes && { [closes]: 'closed' as const }),
    };
    const sources = Object.fromEntries(found.map(({ place, source }) => [place, source]));
    return {
      fields: {
        filters: { ...filters, traffic: { ...filters?.traffic, ...own } },
        trafficSources: { ...trafficSources, ...sources },
      },
    };
  },
  noteAt: (route, rules, lookup) => noteOf(route, [undefined, ...rules], lookup),
};

function noteOf(
  target: string,
  sections: readonly (string | undefined)[],
  lookup: ReferenceLookup,
): TargetNote | undefined {
  const policies = sections.flatMap((section) => policiesAt(target, section, lookup));
  return targetNote(extensionPolicyAffected, 'ExtensionPolicy', policies);
}
