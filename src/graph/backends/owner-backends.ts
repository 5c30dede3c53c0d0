import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { Store } from '../engine/store.ts';
import { keyOfXBackend } from '../x-backend.ts';
import { backendKey, transportOf } from './backend-ref.ts';

/** Keys of the backends that an owner, see ownerOfBackend, has at its ports. */
export function backendsOfOwner(owner: string, store: Store): string[] {
  const space = owner.indexOf(' ');
  if (space < 0) return backendsOfService(store.find('Service', owner));
  const xBackend = store.find('XBackend', owner.slice(space + 1));
  return xBackend ? [keyOfXBackend(xBackend)] : [];
}

export const backendsOfService = (service: ObjectByKind['Service'] | undefined): string[] =>
  (service?.spec.ports ?? []).map((port) =>
    backendKey(service?.metadata.namespace ?? '', service?.metadata.name ?? '', port.port, {
      transport: transportOf(port),
    }),
  );
