import type * as ir from '../../ir/index.ts';
import type { Lookup } from '../engine/backend-hooks.ts';
import { winnerOf } from '../policy-targets.ts';
import { trafficTargets } from '../traffic-policy.ts';
import type { ObjectReference } from '../view.ts';
import { ownerOfBackend, splitBackendKey } from './backend-ref.ts';
import { type SessionPlace, type SessionSpec, sessionFault, sessionOf } from './session.ts';

/** A `sessionPersistence` and whose it is. */
export interface BackendSession {
  readonly spec: SessionSpec;
  readonly source: ObjectReference;
}

/** What is said of sessions of a backend, by its key. */
export interface BackendSessions {
  /** By the backend itself, an XBackend. */
  readonly own?: BackendSession;
  /** By the XBackendTrafficPolicy that rules it. */
  readonly policy?: BackendSession;
}

/** What cannot be had is left out; whoever says it is told by its status. */
export function sessionsOfBackend(key: string, lookup: Lookup): BackendSessions {
  const { namespace, service: name, source } = splitBackendKey(key);
  const xBackend = source && lookup.store.find('XBackend', `${namespace}/${name}`);
  const policy = winnerOf(trafficTargets, ownerOfBackend(key), lookup);
  return {
    ...usable('own', xBackend?.spec.sessionPersistence, { kind: 'XBackend', namespace, name }),
    ...(policy &&
      usable('policy', policy.spec.sessionPersistence, {
        kind: 'XBackendTrafficPolicy',
        namespace: policy.metadata.namespace ?? '',
        name: policy.metadata.name,
      })),
  };
}

const usable = (at: 'own' | 'policy', spec: SessionSpec | undefined, source: ObjectReference): BackendSessions =>
  spec && !sessionFault(spec) ? { [at]: { spec, source } } : {};

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
