import { parseObjectKey } from '../../gateway-api/index.ts';
import { sharedFleetOf } from '../../ir/index.ts';

/** Namespaces that should be read and cannot, with why. */
export class UnreadableNamespaces {
  readonly #reasons = new Map<string, string>();

  get reasons(): ReadonlyMap<string, string> {
    return this.#reasons;
  }

  set(namespace: string, reason: string | undefined): void {
    if (reason === undefined) this.#reasons.delete(namespace);
    else this.#reasons.set(namespace, reason);
  }

  /** Whether all that could ask for these proxies can be read: Gateways of any namespace may share them. */
  knowsUsersOf(key: string): boolean {
    return sharedFleetOf(key) === undefined
      ? !this.#reasons.has(parseObjectKey(key).namespace)
      : this.#reasons.size === 0;
  }
}
