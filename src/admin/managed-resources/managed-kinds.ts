import { kindModules } from '../../controllers/index.ts';
import { type Kind, type KindFacts, type KindName, kinds } from '../../gateway-api/index.ts';
import { HttpError } from '../http/index.ts';

/** The order in which lists have them; kinds that are not here follow, in the order of reading. */
const listedFirst: readonly KindName[] = [
  'GatewayClass',
  'Gateway',
  'ListenerSet',
  'HTTPRoute',
  'GRPCRoute',
  'TCPRoute',
  'UDPRoute',
  'TLSRoute',
  'BackendTLSPolicy',
  'ReferenceGrant',
  'XBackend',
  'XBackendTrafficPolicy',
  'XTelemetryPolicy',
  'InferencePool',
  'DataPlane',
  'BackendPolicy',
  'ListenerPolicy',
  'AccessPolicy',
  'TrafficPolicy',
  'HTTPFilter',
  'AIService',
  'TokenPolicy',
];

/** Every kind of managed resource: those whose module says that the admin API writes them. */
export const managedKinds: readonly KindFacts[] = [...new Set([...listedFirst, ...(Object.keys(kinds) as KindName[])])]
  .filter((name) => kindModules[name].about.writable)
  .map((name) => kinds[name]);

export const isManagedKind = (kind: Kind): boolean => managedKinds.some((managed) => managed === kind);

/** What a path or a filter writes where a cluster-scoped object has no namespace. */
export const clusterScope = '_cluster';

/** The kind that a user's word means: its name, plural or a short name, in any case. Throws a 400 with the list. */
export function getManagedKind(word: string): Kind {
  const lower = word.toLowerCase();
  const found = managedKinds.find(({ name, plural, shortNames }) =>
    [name.toLowerCase(), plural, ...shortNames].includes(lower),
  );
  if (found === undefined) throw unsupportedKind(word);
  return found;
}

/** The kind of a body by its own words, which are exact. Throws a 400 with the list. */
export function getManifestKind(group: string, name: string): Kind {
  const found = managedKinds.find((kind) => kind.name === name && kind.group === group);
  if (found === undefined) throw unsupportedKind(group === '' ? name : `${name} of ${group}`);
  return found;
}

function unsupportedKind(word: string): HttpError {
  const names = managedKinds.map(({ name }) => name);
  return new HttpError('kind_unsupported', `${JSON.stringify(word)} is not managed here; ${names.join(', ')} are`, {
    details: managedKinds.map(({ name, group, version, plural, shortNames }) => ({
      path: name,
      message: [`${group}/${version}`, plural, ...shortNames].join(', '),
    })),
  });
}
