import type { EnvoyResource } from '../../translate/index.ts';
import type { HeldChain } from './held-chain.ts';

/**
 * What the client is to be sent once more as it has it, since it rejected another version. Envoy 1.40 continues with what it had. But it also keeps what
 * it rejected, and gives that to whatever names the resource from then on: so it would reject a listener, or a chain that leads there. And if the same
 * content comes again, it answers with an ACK. Neither happens after it was sent what it has.
 * Source: Envoy, FilterConfigSubscription::onConfigUpdate and FilterConfigProviderManagerImplBase::applyLastOrDefaultConfig.
 */
export class Renewals {
  /** By name, what the client has. */
  readonly #due = new Map<string, EnvoyResource>();

  /** The client rejected the resource, and has `held`. A chain in which requests wait stays as it is. */
  rejected({ name, version }: EnvoyResource, held: HeldChain | undefined): void {
    const former = held?.listsAt.size === 0 && held.version !== version ? held.resource : undefined;
    if (former) this.#due.set(name, former);
    else this.#due.delete(name);
  }

  /** The client was sent what it has, or took another version, or has none any more. */
  over(name: string): void {
    this.#due.delete(name);
  }

  has(name: string): boolean {
    return this.#due.has(name);
  }

  /** The first to be sent. `isReplaced`: another version of that name goes anyway. */
  next(isReplaced: (name: string) => boolean): EnvoyResource | undefined {
    return this.#due.values().find(({ name }) => !isReplaced(name));
  }
}
