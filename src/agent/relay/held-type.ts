import { maybeHeld, unknownVersion } from '../../contracts/index.ts';
import type { WireResource } from './delta-messages.ts';
import type { Subscription } from './subscription.ts';

/** Resources and removals of an answer. */
export interface Answer {
  readonly resources: readonly WireResource[];
  readonly removed: readonly string[];
}

/** All that is known of one name: what Envoy has, what it rejected since, or that there is no such thing. None of it: it is forgotten. */
export interface KnownName {
  readonly name: string;
  readonly held?: WireResource | undefined;
  readonly rejected?: WireResource | undefined;
  readonly absent: boolean;
}

const isEmpty = (answer: Answer) => answer.resources.length === 0 && answer.removed.length === 0;

/**
 * What Envoy holds of one type, as far as its acknowledgements show. It is enough to answer an Envoy that starts again without
 * asking the control plane, and to show a control plane that comes back what it need not send again.
 */
export class HeldType {
  /** Envoy has acknowledged at least one answer, be it an empty one. */
  #answered = false;
  readonly #resources = new Map<string, WireResource>();
  /** Names that were asked for and do not exist. */
  readonly #absent = new Set<string>();
  /**
   * The resources of rejected answers, until an answer speaks of the same name again. Envoy rejects clusters and listeners
   * one by one and says no more than a text: some of these are in use, so a new Envoy must be offered all of them.
   */
  readonly #rejected = new Map<string, WireResource>();
  /** Names that changed since they were last taken; undefined: no caller takes them. */
  readonly #touched: Set<string> | undefined;

  /** `noteChanges`: a caller takes the changes from time to time. */
  constructor(noteChanges = false) {
    this.#touched = noteChanges ? new Set() : undefined;
  }

  get answered(): boolean {
    return this.#answered;
  }

  /** By name. */
  get resources(): ReadonlyMap<string, WireResource> {
    return this.#resources;
  }

  /** By name. */
  get rejected(): ReadonlyMap<string, WireResource> {
    return this.#rejected;
  }

  /** The name's resource, or that it does not exist, is known. */
  knows(name: string): boolean {
    return this.#resources.has(name) || this.#absent.has(name);
  }

  /** Envoy took `answer`. `wanted` says which removed names it still asks for. */
  accept(answer: Answer, wanted: Subscription): void {
    this.#answered = true;
    for (const resource of answer.resources) {
      // An Envoy that starts again takes what is held already.
      if (this.#resources.get(resource.name) !== resource) this.#touched?.add(resource.name);
      if (this.#absent.has(resource.name) || this.#rejected.has(resource.name)) this.#touched?.add(resource.name);
      this.#resources.set(resource.name, resource);
      this.#absent.delete(resource.name);
      this.#rejected.delete(resource.name);
    }
    for (const name of answer.removed) {
      if (!this.#absent.has(name) || this.#rejected.has(name)) this.#touched?.add(name);
      this.#resources.delete(name);
      if (wanted.names.has(name)) this.#absent.add(name);
      this.#rejected.delete(name);
    }
  }

  /** Envoy rejected `answer`, all or part of it. */
  reject(answer: Answer): void {
    this.#touch(answer);
    for (const resource of answer.resources) this.#rejected.set(resource.name, resource);
    for (const name of answer.removed) this.#rejected.delete(name);
  }

  /**
   * Envoy rejected what was held: it does not have it, and the next stream to the control plane must not say that it has. Of what is
   * taken in part this is too much, and costs that it is sent once more.
   */
  lose(answer: Answer): void {
    for (const { name } of answer.resources) this.#resources.delete(name);
  }

  /** Envoy does not want `name` any more. */
  forget(name: string): void {
    this.#touched?.add(name);
    this.#resources.delete(name);
    this.#absent.delete(name);
    this.#rejected.delete(name);
  }

  /** Envoy does not want the type any more. */
  forgetAll(): void {
    this.#answered = false;
    for (const name of new Set([...this.#resources.keys(), ...this.#absent, ...this.#rejected.keys()]))
      this.forget(name);
  }

  /**
   * The answer to the first request of a stream, from an Envoy that has `initialVersions` already. Undefined when there
   * is nothing to say; an empty answer is something to say to an Envoy that waits for everything of the type.
   */
  answerTo(subscription: Subscription, initialVersions: ReadonlyMap<string, string>): Answer | undefined {
    const resources = this.#wanted(subscription).filter((held) => initialVersions.get(held.name) !== held.version);
    const gone = [...initialVersions.keys()].filter((name) => !this.#resources.has(name) && this.#answered);
    const removed = new Set([...gone, ...[...subscription.names].filter((name) => this.#absent.has(name))]);
    const answer = { resources, removed: [...removed] };
    const awaited = subscription.wildcard && this.#answered && initialVersions.size === 0;
    return awaited || !isEmpty(answer) ? answer : undefined;
  }

  /** What is known of `names`; undefined when nothing is. */
  answerFor(names: readonly string[]): Answer | undefined {
    const resources = names.flatMap((name) => this.#resources.get(name) ?? []);
    const answer = { resources, removed: names.filter((name) => this.#absent.has(name)) };
    return isEmpty(answer) ? undefined : answer;
  }

  /** The rejected resources as an answer; undefined when there are none. */
  rejectedAnswer(): Answer | undefined {
    return this.#rejected.size === 0 ? undefined : { resources: [...this.#rejected.values()], removed: [] };
  }

  /**
   * `initial_resource_versions` for a control plane that is asked for `subscription`. Envoy may have taken some of what it rejected:
   * all of it is named, or the control plane would not say that it is gone.
   */
  versionsFor(subscription: Subscription): Map<string, string> {
    const versions = new Map(this.#wanted(subscription).map((held) => [held.name, held.version]));
    if (!subscription.wildcard) return versions;
    for (const name of this.#rejected.keys()) versions.set(name, versions.has(name) ? unknownVersion : maybeHeld);
    return versions;
  }

  /** What is known of each name that changed since the last call. */
  takeChanges(): KnownName[] {
    const names = [...(this.#touched ?? [])];
    this.#touched?.clear();
    return names.map((name) => this.#known(name));
  }

  /** What is known of every name; there are no changes after it. */
  takeAll(): KnownName[] {
    this.#touched?.clear();
    const names = new Set([...this.#resources.keys(), ...this.#rejected.keys(), ...this.#absent]);
    return [...names].map((name) => this.#known(name));
  }

  /** Puts in what another agent before this one knew. */
  restore(names: readonly KnownName[], answered: boolean): void {
    this.#answered = answered;
    for (const { name, held, rejected, absent } of names) {
      if (held) this.#resources.set(name, held);
      if (rejected) this.#rejected.set(name, rejected);
      if (absent) this.#absent.add(name);
    }
  }

  #known(name: string): KnownName {
    const [held, rejected] = [this.#resources.get(name), this.#rejected.get(name)];
    return { name, held, rejected, absent: this.#absent.has(name) };
  }

  #touch({ resources, removed }: Answer): void {
    for (const { name } of resources) this.#touched?.add(name);
    for (const name of removed) this.#touched?.add(name);
  }

  #wanted(subscription: Subscription): WireResource[] {
    if (subscription.wildcard) return [...this.#resources.values()];
    return [...subscription.names].flatMap((name) => this.#resources.get(name) ?? []);
  }
}
