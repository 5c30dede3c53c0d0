import { sharedFleetKey } from '../../ir/index.ts';

import type { StatusBook, Store } from '../engine/index.ts';
import { gatewayClassStatus, servesClass } from './gateway-class.ts';
import { type Sharing, sharingOf } from './parameters.ts';

export interface ClassDeps {
  readonly store: Store;
  readonly statuses: StatusBook;
  readonly controllerName: string;
  /** Where shared proxies run, unless their DataPlane says it. */
  readonly sharedNamespace: string;
}

/** The GatewayClasses of ours: their statuses, and which of them have their Gateways share proxies. */
export class GatewayClasses {
  readonly #deps: ClassDeps;
  /** Keys of the fleets that the Gateways of a class share, by the class. */
  readonly #sharedFleets = new Map<string, string>();

  constructor(deps: ClassDeps) {
    this.#deps = deps;
  }

  resolve(key: string): void {
    const { store, statuses, controllerName, sharedNamespace } = this.#deps;
    const object = store.find('GatewayClass', key);
    const isOurs = servesClass(object, controllerName);
    statuses.set('GatewayClass', key, isOurs ? gatewayClassStatus(object, store) : undefined);
    const sharing: Sharing = isOurs ? sharingOf(object, store) : { kind: 'own' };
    if (sharing.kind === 'own') this.#sharedFleets.delete(key);
    if (sharing.kind !== 'shared') return;
    const { namespace = sharedNamespace } = sharing;
    this.#sharedFleets.set(key, sharedFleetKey(namespace, key));
  }

  /** Key of the fleet that the Gateways of a class share; undefined where each has its own. */
  sharedFleetOf(name: string): string | undefined {
    return this.#sharedFleets.get(name);
  }

  /** Knows of shared proxies what the other knows: it may be from a DataPlane that is not there any more. */
  adopt(other: GatewayClasses): void {
    for (const [name, fleet] of other.#sharedFleets) this.#sharedFleets.set(name, fleet);
  }
}
