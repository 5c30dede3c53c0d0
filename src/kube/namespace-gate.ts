import type { Kind } from '../gateway-api/index.ts';

export interface NamespaceGateOptions {
  /** Those that must be listed before anything of the namespace is passed on. */
  readonly kinds: readonly Kind[];
  /** Some kind may not be read; or all may again, and all that was held is passed on. */
  readonly onAvailability: (available: boolean, message: string) => void;
}

/**
 * Holds back what is found in one namespace until all of its kinds are listed. With half of a namespace, such as Gateways
 * without their Secrets, what works there would be taken for broken.
 *
 * Once open it stays so: when a permission is lost later, what was passed on stays, as with an API server that is away.
 */
export class NamespaceGate {
  readonly #options: NamespaceGateOptions;
  readonly #unlisted: Set<string>;
  readonly #forbidden = new Set<string>();
  readonly #held: (() => void)[] = [];
  #isAvailable = true;

  constructor(options: NamespaceGateOptions) {
    this.#options = options;
    this.#unlisted = new Set(options.kinds.map(({ name }) => name));
  }

  get isOpen(): boolean {
    return this.#unlisted.size === 0;
  }

  /** Does it now, or when the gate opens, in order. */
  pass(deed: () => void): void {
    if (this.isOpen) deed();
    else this.#held.push(deed);
  }

  /** Every object of the kind was passed on, or it is not served. */
  listed({ name }: Kind): void {
    if (!this.#unlisted.delete(name) || !this.isOpen) return;
    for (const deed of this.#held.splice(0)) deed();
    this.#judge('');
  }

  permitted({ name }: Kind, permitted: boolean, message: string): void {
    if (permitted) this.#forbidden.delete(name);
    else this.#forbidden.add(name);
    this.#judge(message);
  }

  #judge(message: string): void {
    const isForbidden = this.#forbidden.size > 0;
    if (isForbidden !== this.#isAvailable || !(isForbidden || this.isOpen)) return;
    this.#isAvailable = !isForbidden;
    this.#options.onAvailability(!isForbidden, message);
  }
}
