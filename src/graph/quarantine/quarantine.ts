import { isBindError, rejectionWords } from '../../contracts/index.ts';
import * as ir from '../../ir/index.ts';
import type { ConditionFault, Rejection } from '../model/index.ts';

type Content = Omit<Rejection, 'digest' | 'message'>;

/** By place. */
type Members = Map<string, Rejection>;

/**
 * What is rejected, by content, in two books:
 *
 * - A route that we cannot encode (`put`) is left out of the snapshot for as long as it is that content. No retry is needed,
 *   because anything else is new content. It is forgotten when its object is resolved and the content is no longer there.
 * - What all proxies of a fleet reject (`hold`) stays in the snapshot, since each proxy is spared it by its own stream, and nothing that
 *   clients say decides what others are sent. Its object says so, as long as the proxies do (`release`). The same holds for what else
 *   we cannot encode, which the translator leaves out of what all proxies are sent.
 *
 * The same rejections and the same objects give the same result, in whatever order they came.
 */
export class Quarantine {
  /** By subject. */
  readonly #leftOut = new Map<string, Members>();
  readonly #met = new Set<Rejection>();
  /** The same. */
  readonly #held = new Map<string, Members>();

  /** Leaves it out of the snapshot. Whether it is new. */
  put(rejection: Rejection): boolean {
    return add(this.#leftOut, rejection);
  }

  /** All proxies of its fleet reject it. Whether it is new. */
  hold(rejection: Rejection): boolean {
    return add(this.#held, rejection);
  }

  /** Not all of them do any more. Whether they did. */
  release(rejection: Rejection): boolean {
    const members = this.#held.get(subjectOf(rejection));
    const was = members?.delete(placeOf(rejection, rejection.digest)) ?? false;
    if (members?.size === 0) this.#held.delete(subjectOf(rejection));
    return was;
  }

  /** Resolves a subject: what is left out and `work` does not meet again is of content that is gone, and is forgotten. */
  resolve<T>(subject: string, work: () => T): T {
    const members = this.#leftOut.get(subject);
    if (!members) return work();
    this.#met.clear();
    const result = work();
    for (const [place, rejection] of members) if (!this.#met.has(rejection)) members.delete(place);
    if (members.size === 0) this.#leftOut.delete(subject);
    return result;
  }

  /** Why this very content is left out, if it is. To be asked within `resolve`. `digest` is not computed for what nothing was rejected of. */
  findLeftOut(content: Content, digest: () => ir.Digest): Rejection | undefined {
    const members = this.#leftOut.get(subjectOf(content));
    const found = members?.get(placeOf(content, digest()));
    if (found) this.#met.add(found);
    return found;
  }

  /** What the proxies of the fleet say of this very content, if all of them reject it. */
  findHeld(content: Content, digest: () => ir.Digest): Rejection | undefined {
    return this.#held.get(subjectOf(content))?.get(placeOf(content, digest()));
  }

  has({ digest, ...content }: Omit<Rejection, 'message'>): boolean {
    return this.findHeld(content, () => digest) !== undefined;
  }

  /** The same for each fleet; of any content without `digest`. */
  heldOf({ kind, key }: Omit<Content, 'gateway'>, digest?: () => ir.Digest): Rejection[] {
    const members = this.#held.get(subjectOf({ kind, key, gateway: '' }));
    if (!members) return [];
    const content = digest?.();
    return [...members.values()].filter(
      (rejection) => rejection.kind === kind && (content === undefined || rejection.digest === content),
    );
  }

  *listLeftOut(): Generator<Rejection> {
    for (const members of this.#leftOut.values()) yield* members.values();
  }

  *listHeld(): Generator<Rejection> {
    for (const members of this.#held.values()) yield* members.values();
  }
}

function add(book: Map<string, Members>, rejection: Rejection): boolean {
  const subject = subjectOf(rejection);
  const members = book.get(subject) ?? new Map<string, Rejection>();
  const place = placeOf(rejection, rejection.digest);
  // Several say the same, perhaps in other words.
  if (members.has(place)) return false;
  book.set(subject, members.set(place, rejection));
  return true;
}

/** What is resolved as one, and so has its rejections looked at together. */
export const subjects = {
  route: (source: string) => `route ${source}`,
  backend: (key: string) => `backend ${key}`,
  gateway: (key: string) => `gateway ${key}`,
  traffic: (key: string) => `traffic ${key}`,
  limit: (key: string) => `limit ${key}`,
  patch: (key: string) => `patch ${key}`,
  access: (key: string) => `access ${ir.policyOfDemand(key)}`,
} as const;

function subjectOf({ kind, gateway, key }: Content): string {
  if (kind === 'route') return subjects.route(key);
  if (kind === 'traffic' || kind === 'limit' || kind === 'patch' || kind === 'access') return subjects[kind](key);
  return kind === 'backend' || kind === 'endpoints' ? subjects.backend(key) : subjects.gateway(gateway);
}

const placeOf = ({ kind, gateway, key, trial }: Content, digest: ir.Digest): string =>
  `${kind} ${gateway} ${key} ${digest} ${trial}`;

/** The proxy is sent the listener again until it can open the port. */
export const cannotBind = ({ kind, message }: Pick<Rejection, 'kind' | 'message'>): boolean =>
  kind === 'listener' && isBindError(message);

const outcomeOf = ({ isUnencodable }: Rejection): string =>
  isUnencodable ? 'cannot be encoded for the proxy' : 'is rejected by the proxy';

/** The message of a rejection to the user. `what` is the thing that is left out or not available. */
export const rejectionFault = (reason: string, what: string, rejection: Rejection): ConditionFault => ({
  reason,
  message: `${what} ${outcomeOf(rejection)}, so it is left out until it is changed: ${rejectionWords(rejection.message)}`,
});

/** The same of what protects: without it no request may pass. */
export const closingFault = (status: number, what: string, rejection: Rejection): ConditionFault => ({
  reason: 'Invalid',
  message: `${what} ${outcomeOf(rejection)}, and requests that it is for are answered ${status} until it is changed: ${rejectionWords(rejection.message)}`,
});

/** The same of what proxies go on with as it was. */
export const updateFault = (reason: string, what: string, rejection: Rejection): ConditionFault => ({
  reason,
  message: `${what} ${outcomeOf(rejection)}, which keeps to what it had until that is changed: ${rejectionWords(rejection.message)}`,
});
