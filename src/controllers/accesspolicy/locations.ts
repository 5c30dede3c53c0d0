import type { Condition } from '../../gateway-api/index.ts';
import type { StatusContext } from '../../graph/engine/index.ts';
import { geoDatabasesOf } from '../../graph/gateways/index.ts';
import { type ConditionFault, describeTrouble } from '../../graph/model/index.ts';
import { invalid, type Policy } from './parts/index.ts';

/** The databases that rules of a policy need. */
function neededBy({ spec }: Policy): readonly ('location' | 'asn')[] {
  const places = (spec.authorization?.rules ?? []).flatMap(({ when, any = [] }) =>
    (when ? [when] : any).flatMap(({ clientLocations = [] }) => clientLocations),
  );
  return [
    ...(places.some(({ country }) => country !== undefined) ? (['location'] as const) : []),
    ...(places.some(({ asn }) => asn !== undefined) ? (['asn'] as const) : []),
  ];
}

export const hasLocationRules = (policy: Policy): boolean => neededBy(policy).length > 0;

/** Proxies of a Gateway that have no such database let no request in where rules are by it. */
export function locationsAt(policy: Policy, gateway: string, { store }: StatusContext): ConditionFault | undefined {
  const object = store.find('Gateway', gateway);
  const needed = object ? neededBy(policy) : [];
  if (!object || needed.length === 0) return undefined;
  const databases = geoDatabasesOf(object, store);
  const lacking = needed.filter((database) => databases[database] === undefined);
  if (lacking.length === 0) return undefined;
  const fields = lacking.map((database) => `spec.geoip.databases.${database}`).join(' and ');
  return invalid(
    `authorization: clientLocations needs databases that the proxies of Gateway ${gateway} do not have: set ${fields} of its DataPlane, or remove the rules; until then requests are answered 403 that these rules are for`,
  );
}

/** Proxies of the Gateway that should have such a database and cannot use it. */
export function brokenDatabasesAt(policy: Policy, gateway: string, { proxies }: StatusContext): Condition[] {
  const needed = neededBy(policy);
  const troubles = proxies.databaseTroublesAt(gateway).filter(({ database }) => needed.includes(database));
  if (troubles.length === 0) return [];
  const observedGeneration = policy.metadata.generation ?? 0;
  const message = `authorization: clientLocations: ${troubles.map(describeTrouble).join('; ')}`;
  return [{ type: 'Degraded', status: 'True', reason: 'DatabaseUnusable', message, observedGeneration }];
}
