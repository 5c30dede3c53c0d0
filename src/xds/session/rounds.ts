import type { Channel } from './channel.ts';
import { fillChanges } from './fill-outbox.ts';
import { Gate } from './gate.ts';
import type { ResourceChange } from './resource-group.ts';
import type { SessionOptions } from './session-options.ts';
import { View } from './view.ts';

/**
 * Which view of its group a client is brought to. There is none while the session *waits* for the group's first publication. Then rounds follow each
 * other: `gate` takes the client to the view step by step, what changes meanwhile is noted, and the next round begins with the newest view.
 */
export class Rounds {
  readonly gate: Gate;
  readonly #options: Pick<SessionOptions, 'group' | 'newest'>;
  readonly #channels: ReadonlyMap<string, Channel>;
  #view: View | undefined;

  /** `channels`: by type URL; `awaitsRoutes`: see Gate. */
  constructor(
    options: Pick<SessionOptions, 'group' | 'newest'>,
    channels: ReadonlyMap<string, Channel>,
    awaitsRoutes: () => boolean,
  ) {
    this.#options = options;
    this.#channels = channels;
    this.gate = new Gate(awaitsRoutes);
  }

  /** The view of the present round. */
  get view(): View | undefined {
    return this.#view;
  }

  /** Its epoch; 0 while there is none. */
  get epoch(): number {
    return this.#view?.snapshotVersion.epoch ?? 0;
  }

  /** The first round begins, if the group is there. */
  begin(): View | undefined {
    const { group, newest } = this.#options;
    if (group.published) this.#view = new View(group, newest());
    return this.#view;
  }

  /** The change waits for the next round. */
  note(change: ResourceChange): void {
    this.#view?.note(change);
  }

  /** Begins the next step, or the next round; undefined when it is time for neither. */
  advance(): 'step' | 'round' | undefined {
    const before = this.#view;
    if (before === undefined) return undefined;
    if (this.gate.advance(before.snapshotVersion.epoch)) return 'step';
    if (!this.gate.finished) return undefined;
    const newest = this.#options.newest();
    if (newest.epoch === before.snapshotVersion.epoch) return undefined;
    this.#view = new View(this.#options.group, newest);
    for (const [typeUrl, names] of before.changed) {
      const channel = this.#channels.get(typeUrl);
      if (channel !== undefined) fillChanges(this.#view, channel, names);
    }
    return 'round';
  }
}
