import type { EnvoyResource } from '../../translate/index.ts';
import type { Batch } from '../rejections/split-rejected.ts';
import { type Patches, shortestPatched } from './patches.ts';

/**
 * The long resources of one type that a client has taken on its stream, so that only what differs is sent of their next versions. A
 * client that does not have one any more asks for its name, and gets it whole.
 */
export class TakenBodies {
  readonly #patches: Patches;
  /** By name. */
  readonly #taken = new Map<string, EnvoyResource>();
  /** Names that were asked for, and have not been sent since. */
  readonly #asked = new Set<string>();

  constructor(patches: Patches) {
    this.#patches = patches;
  }

  /** What is to be sent for `resource`: itself, or a patch. */
  sent(resource: EnvoyResource): EnvoyResource {
    const { name } = resource;
    if (this.#asked.delete(name)) return resource;
    const before = this.#taken.get(name);
    return (before && this.#patches.between(before, resource)) ?? resource;
  }

  taken({ upserts, removed }: Batch): void {
    for (const resource of upserts) this.has(resource);
    for (const name of removed) this.#taken.delete(name);
  }

  /** The client has it. */
  has(resource: EnvoyResource): void {
    if (resource.body.length >= shortestPatched) this.#taken.set(resource.name, resource);
    else this.#taken.delete(resource.name);
  }

  /** The client asks for it. An answer that is still under way may make it one that was taken: that does not count. */
  asked(name: string): void {
    if (this.#taken.delete(name)) this.#asked.add(name);
  }

  dropped(name: string): void {
    this.#taken.delete(name);
    this.#asked.delete(name);
  }
}
