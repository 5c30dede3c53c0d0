import type { EnvoyResource } from '../../translate/index.ts';
import { Lingering } from './lingering.ts';

/** When what lingers may go. */
export interface Release {
  readonly nowMs: number;
  readonly lingerMs: number;
  readonly since: number;
  readonly isNeeded?: (name: string) => boolean;
}

/**
 * What the client is to lose, but not yet: a removal is *held* until whatever may still use the resource is out of the way, or it
 * *lingers* for some time.
 */
export class DelayedRemovals {
  /** By name, what the client has, if we know it. */
  readonly #held = new Map<string, EnvoyResource | undefined>();
  readonly #lingering = new Lingering();

  get holdsAny(): boolean {
    return this.#held.size > 0;
  }

  holds(name: string): boolean {
    return this.#held.has(name);
  }

  /** The resource whose removal is held, if so and if it is known. */
  held(name: string): EnvoyResource | undefined {
    return this.#held.get(name);
  }

  hold(name: string, resource: EnvoyResource | undefined): void {
    this.#held.set(name, resource);
  }

  linger(name: string): void {
    this.#lingering.add(name);
  }

  /** Names of what lingers. */
  lingering(): Iterable<string> {
    return this.#lingering.names();
  }

  lingers(name: string): boolean {
    return this.#lingering.has(name);
  }

  /** The client keeps it after all, or loses it now. */
  cancel(name: string): void {
    this.#held.delete(name);
    this.#lingering.delete(name);
  }

  /** Those of what is held. */
  names(): MapIterator<string> {
    return this.#held.keys();
  }

  /** Takes those out that have lingered for long enough (Lingering.takeDue). */
  takeDue(nowMs: number, lingerMs: number, isNeeded?: (name: string) => boolean): readonly string[] {
    return this.#lingering.takeDue(nowMs, lingerMs, isNeeded);
  }
}
