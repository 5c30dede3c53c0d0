import { isBindError, refusalWords } from '../../contracts/index.ts';
import type * as ir from '../../ir/index.ts';
import type { Fault, Refusal } from '../model/index.ts';

type Content = Omit<Refusal, 'digest' | 'message'>;

/** By place. */
type Members = Map<string, Refusal>;

/**
 * What is refused, by content, in two books:
 *
 * - What we cannot encode (`put`) is left out of the snapshot for as long as it is that content. Nobody has to remember to try again,
 *   since anything else is new content. It is forgotten when its object is resolved and the content is no longer there.
 * - What all proxies of a fleet refuse (`hold`) stays in the snapshot, since each proxy is spared it by its own stream, and nothing that
 *   clients say decides what others are sent. Its object says so, as long as the proxies do (`release`).
 *
 * The same refusals and the same objects give the same result, in whatever order they came.
 */
export class Quarantine {
  /** By subject. */
  readonly #leftOut = new Map<string, Members>();
  readonly #met = new Set<Refusal>();
  /** The same. */
  readonly #held = new Map<string, Members>();

  /** Leaves it out of the snapshot. Whether it is new. */
  put(refusal: Refusal): boolean {
    return add(this.#leftOut, refusal);
  }

  /** All proxies of its fleet refuse it. Whether it is new. */
  hold(refusal: Refusal): boolean {
    return add(this.#held, refusal);
  }

  /** Not all of them do any more. Whether they did. */
  release(refusal: Refusal): boolean {
    const members = this.#held.get(subjectOf(refusal));
    const was = members?.delete(placeOf(refusal, refusal.digest)) ?? false;
    if (members?.size === 0) this.#held.delete(subjectOf(refusal));
    return was;
  }

  /** Resolves a subject: what is left out and `work` does not meet again is of content that is gone, and is forgotten. */
  resolve<T>(subject: string, work: () => T): T {
    const members = this.#leftOut.get(subject);
    if (!members) return work();
    this.#met.clear();
    const result = work();
    for (const [place, refusal] of members) if (!this.#met.has(refusal)) members.delete(place);
    if (members.size === 0) this.#leftOut.delete(subject);
    return result;
  }

  /** Why this very content is left out, if it is. To be asked within `resolve`. `digest` is not computed for what nothing was refused of. */
  findLeftOut(content: Content, digest: () => ir.Digest): Refusal | undefined {
    const members = this.#leftOut.get(subjectOf(content));
    const found = members?.get(placeOf(content, digest()));
    if (found) this.#met.add(found);
    return found;
  }

  /** What the proxies of the fleet say of this very content, if all of them refuse it. */
  findHeld(content: Content, digest: () => ir.Digest): Refusal | undefined {
    return this.#held.get(subjectOf(content))?.get(placeOf(content, digest()));
  }

  has({ digest, ...content }: Omit<Refusal, 'message'>): boolean {
    return this.findHeld(content, () => digest) !== undefined;
  }

  /** The same for each fleet. */
  heldOf({ kind, key }: Omit<Content, 'gateway'>, digest: () => ir.Digest): Refusal[] {
    const members = this.#held.get(subjectOf({ kind, key, gateway: '' }));
    if (!members) return [];
    const content = digest();
    return [...members.values()].filter((refusal) => refusal.kind === kind && refusal.digest === content);
  }

  *listLeftOut(): Generator<Refusal> {
    for (const members of this.#leftOut.values()) yield* members.values();
  }

  *listHeld(): Generator<Refusal> {
    for (const members of this.#held.values()) yield* members.values();
  }
}

function add(book: Map<string, Members>, refusal: Refusal): boolean {
  const subject = subjectOf(refusal);
  const members = book.get(subject) ?? new Map<string, Refusal>();
  const place = placeOf(refusal, refusal.digest);
  // Several say the same, perhaps in other words.
  if (members.has(place)) return false;
  book.set(subject, members.set(place, refusal));
  return true;
}

/** What is resolved as one, and so has its refusals looked at together. */
export const subjects = {
  route: (source: string) => `route ${source}`,
  backend: (key: string) => `backend ${key}`,
  gateway: (key: string) => `gateway ${key}`,
} as const;

function subjectOf({ kind, gateway, key }: Content): string {
  if (kind === 'route') return subjects.route(key);
  return kind === 'backend' || kind === 'endpoints' ? subjects.backend(key) : subjects.gateway(gateway);
}

const placeOf = ({ kind, gateway, key }: Content, digest: ir.Digest): string => `${kind} ${gateway} ${key} ${digest}`;

/** The proxy is sent the listener again until it can open the port. */
export const cannotBind = ({ kind, message }: Pick<Refusal, 'kind' | 'message'>): boolean =>
  kind === 'listener' && isBindError(message);

/** What a user is told of a refusal. `what` is the thing that is left out, or cannot be had. */
export const refusalFault = (reason: string, what: string, { message }: Refusal): Fault => ({
  reason,
  message: `${what} is refused by the proxy, and left out until it is changed: ${refusalWords(message)}`,
});

/** The same of what proxies go on with as it was. */
export const updateFault = (reason: string, what: string, { message }: Refusal): Fault => ({
  reason,
  message: `${what} is refused by the proxy, which keeps to what it had until that is changed: ${refusalWords(message)}`,
});
