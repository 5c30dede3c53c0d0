import type * as ir from '../../ir/index.ts';
import type { BackendSettings } from '../engine/index.ts';
import { type BackendSession, type BackendSessions, parseBackendKey, type SessionSpec } from '../model/index.ts';
import type { BackendLookup } from './backend.ts';
import { type SessionPlace, sessionFault, sessionOf } from './session.ts';

/**
 * Session persistence of a backend. A setting that is not available is left out; the status of its object has the reason.
 * `settings`: those of all kinds of policies, in the order in which they apply.
 */
export function sessionsOfBackend(
  key: string,
  settings: readonly BackendSettings[],
  lookup: BackendLookup,
): BackendSessions {
  const parts = parseBackendKey(key);
  const own = usable(lookup.store.providers.of(parts).sessionOf?.(parts, lookup.store));
  const owner = lookup.store.providers.ownerOf(key);
  const [found] = settings.flatMap(({ sessionOf }) => sessionOf?.(owner, lookup) ?? []);
  const policy = usable(found);
  return { ...(own && { own }), ...(policy && { policy }) };
}

const usable = (session: BackendSession | undefined): BackendSession | undefined =>
  session && !sessionFault(session.spec) ? session : undefined;

/**
 * The session of a rule's share: the backend's own word goes before the rule's, and a policy's comes last. GEP-1619 leaves the order to
 * implementations; rules and policies are its deprecated places.
 */
export function sessionOfShare(
  place: SessionPlace,
  { own, policy }: BackendSessions,
  rule: SessionSpec | undefined,
): ir.Session | undefined {
  const spec = own?.spec ?? rule ?? policy?.spec;
  return spec && sessionOf(spec, place);
}
