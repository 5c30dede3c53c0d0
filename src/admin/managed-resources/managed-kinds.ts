import { type Kind, kinds } from '../../gateway-api/index.ts';
import { HttpError } from '../http/index.ts';

/** A kind that the admin API writes, with what users call it. */
export interface ManagedKind {
  readonly kind: Kind;
  /** Besides its name, singular and plural: the short names of its definition. */
  readonly shortNames: readonly string[];
}

const managed = (kind: Kind, ...shortNames: string[]): ManagedKind => ({ kind, shortNames });

/** Every kind of managed resource, in the order in which lists have them. */
export const managedKinds: readonly ManagedKind[] = [
  managed(kinds.GatewayClass, 'gc'),
  managed(kinds.Gateway, 'gtw'),
  managed(kinds.ListenerSet, 'lset'),
  managed(kinds.HTTPRoute),
  managed(kinds.GRPCRoute),
  managed(kinds.TCPRoute),
  managed(kinds.UDPRoute),
  managed(kinds.TLSRoute),
  managed(kinds.BackendTLSPolicy, 'btlspolicy'),
  managed(kinds.ReferenceGrant, 'refgrant'),
  managed(kinds.XBackend),
  managed(kinds.XBackendTrafficPolicy, 'xbtrafficpolicy'),
  managed(kinds.DataPlane, 'dplane'),
  managed(kinds.BackendPolicy, 'bpolicy'),
  managed(kinds.ListenerPolicy, 'lpolicy'),
  managed(kinds.AIService, 'ais'),
  managed(kinds.TokenPolicy, 'tokpol'),
];

export const isManagedKind = (kind: Kind): boolean => managedKinds.some((managed) => managed.kind === kind);

/** What a path or a filter writes where a cluster-scoped object has no namespace. */
export const clusterScope = '_cluster';

/** The kind that a user's word means: its name, plural or a short name, in any case. Throws a 400 with the list. */
export function getManagedKind(word: string): Kind {
  const lower = word.toLowerCase();
  const found = managedKinds.find(({ kind, shortNames }) =>
    [kind.name.toLowerCase(), kind.plural, ...shortNames].includes(lower),
  );
  if (found === undefined) throw unsupportedKind(word);
  return found.kind;
}

/** The kind of a body by its own words, which are exact. Throws a 400 with the list. */
export function getManifestKind(group: string, name: string): Kind {
  const found = managedKinds.find(({ kind }) => kind.name === name && kind.group === group);
  if (found === undefined) throw unsupportedKind(group === '' ? name : `${name} of ${group}`);
  return found.kind;
}

function unsupportedKind(word: string): HttpError {
  const names = managedKinds.map(({ kind }) => kind.name);
  return new HttpError('kind_unsupported', `${JSON.stringify(word)} is not managed here; ${names.join(', ')} are`, {
    details: managedKinds.map(({ kind, shortNames }) => ({
      path: kind.name,
      message: [`${kind.group}/${kind.version}`, kind.plural, ...shortNames].join(', '),
    })),
  });
}
