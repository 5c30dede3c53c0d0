import * as ir from '../../ir/index.ts';
import type { Store } from '../engine/index.ts';
import { type BackendContent, type ConditionFault, parseBackendKey } from '../model/index.ts';
import { type Quarantine, updateFault } from './quarantine.ts';

/** By fleet. */
export type BackendFaults = ReadonlyMap<string, ConditionFault>;

const none: BackendFaults = new Map();

/** What is to be said of a backend that all proxies of a fleet reject, or its endpoints, for each such fleet. */
export function backendFaults(
  resolved: BackendContent | undefined,
  { quarantine, store }: { readonly quarantine: Quarantine; readonly store: Pick<Store, 'providers'> },
): BackendFaults {
  if (!resolved) return none;
  const { backend, endpoints } = resolved;
  const { key } = backend;
  const members = quarantine.heldOf({ kind: 'endpoints', key }, () => ir.digestOf(endpoints));
  const clusters = quarantine.heldOf({ kind: 'backend', key }, () => ir.digestOf(backend));
  if (members.length + clusters.length === 0) return none;
  const what = nameOf(backend, store);
  return new Map([
    ...members.map((rejection) => [rejection.gateway, faultOf(`the endpoints of ${what}`, rejection)] as const),
    ...clusters.map((rejection) => [rejection.gateway, faultOf(what, rejection)] as const),
  ]);
}

function nameOf({ key, kind }: ir.Backend, { providers }: Pick<Store, 'providers'>): string {
  const { namespace, service, port } = parseBackendKey(key);
  const object = `${kind ?? 'Service'} ${namespace}/${service}`;
  const hasPorts = kind === undefined || providers.findByName(kind)?.hasPorts;
  return hasPorts ? `port ${port} of ${object}` : object;
}

const faultOf = (what: string, rejection: Parameters<typeof updateFault>[2]): ConditionFault =>
  updateFault('UnsupportedValue', what, rejection);
