import * as ir from '../ir/index.ts';
import type { Fault } from './condition.ts';

/** A piece of content that a proxy refused, in its words. Known of it is what the snapshot holds: digests and keys. */
export interface Refusal {
  readonly kind: 'route' | 'backend' | 'endpoints' | 'listener' | 'secret';
  /** ir.Gateway.key of the proxy. */
  readonly gateway: string;
  /** Of a route its source, `KIND/NAMESPACE/NAME`; else the key in the IR. */
  readonly key: string;
  /** Of the content: ir.digestOfRoutes or, of a route of connections, of its shares; ir.digestOf of anything else. */
  readonly digest: ir.Digest;
  readonly message: string;
}

/** Envoy may quote a whole certificate; a condition's message ends at 32,768 characters. */
const longestMessage = 1024;
const validation = 'Proto constraint validation failed';

/**
 * What proxies refused, by content. Content is left out of the snapshot for as long as it is what was refused: nobody
 * has to remember to try again, since anything else is new content, and nothing is tried twice. A refusal of content
 * that is no longer there is forgotten when its object is settled the next time, so there are never more of them than
 * there is refused content.
 *
 * The same refusals and the same objects give the same result, in whatever order they came.
 */
export class Quarantine {
  /** By subject, then by gateway and content. */
  readonly #refusals = new Map<string, Map<string, Refusal>>();
  readonly #heeded = new Set<Refusal>();
  /** What other replicas hold back, in the same form. */
  readonly #heard = new Map<string, Map<string, Refusal>>();

  /** Whether it is new. */
  put(refusal: Refusal): boolean {
    const subject = subjectOf(refusal);
    const members = this.#refusals.get(subject) ?? new Map<string, Refusal>();
    const place = placeOf(refusal, refusal.digest);
    // Several proxies say the same, perhaps in other words.
    if (members.has(place)) return false;
    this.#refusals.set(subject, members.set(place, refusal));
    return true;
  }

  /** Another replica holds this back. It becomes ours when its content is met. */
  hear(refusal: Refusal): void {
    const subject = subjectOf(refusal);
    const members = this.#heard.get(subject) ?? new Map<string, Refusal>();
    this.#heard.set(subject, members.set(placeOf(refusal, refusal.digest), refusal));
  }

  /** No other replica holds this back any more. What became ours stays ours. */
  unhear(refusal: Refusal): void {
    const subject = subjectOf(refusal);
    const members = this.#heard.get(subject);
    members?.delete(placeOf(refusal, refusal.digest));
    if (members?.size === 0) this.#heard.delete(subject);
  }

  /** Settles a subject: refusals that `work` does not meet again are of content that is gone, and are forgotten. */
  settle<T>(subject: string, work: () => T): T {
    const members = this.#refusals.get(subject);
    if (!members) return work();
    this.#heeded.clear();
    const result = work();
    for (const [place, refusal] of members) if (!this.#heeded.has(refusal)) members.delete(place);
    if (members.size === 0) this.#refusals.delete(subject);
    return result;
  }

  /** The refusal of this very content, if any. To be asked within `settle`. `digest` is not computed for what nothing was refused of. */
  find(content: Omit<Refusal, 'digest' | 'message'>, digest: () => ir.Digest): Refusal | undefined {
    const subject = subjectOf(content);
    const [members, heard] = [this.#refusals.get(subject), this.#heard.get(subject)];
    if (!members && !heard) return undefined;
    const place = placeOf(content, digest());
    const found = members?.get(place) ?? heard?.get(place);
    if (!found) return undefined;
    if (!members?.has(place)) this.put(found);
    this.#heeded.add(found);
    return found;
  }

  /** Forgets what a proxy of the Gateway refused for the place it is at, as one of them could do it after all. Whether there was anything. */
  forgive(gateway: string): boolean {
    const members = this.#refusals.get(subjects.gateway(gateway));
    const forgiven = [...(members ?? [])].filter(([, refusal]) => isOfThePlace(refusal));
    for (const [place] of forgiven) members?.delete(place);
    return forgiven.length > 0;
  }

  *list(): Generator<Refusal> {
    for (const members of this.#refusals.values()) yield* members.values();
  }
}

/** What is settled as one, and so has its refusals looked at together. */
export const subjects = {
  route: (source: string) => `route ${source}`,
  backend: (key: string) => `backend ${key}`,
  gateway: (key: string) => `gateway ${key}`,
} as const;

function subjectOf({ kind, gateway, key }: Omit<Refusal, 'digest' | 'message'>): string {
  if (kind === 'route') return subjects.route(key);
  return kind === 'backend' || kind === 'endpoints' ? subjects.backend(key) : subjects.gateway(gateway);
}

// A backend is the same for every gateway, and every proxy is the same Envoy: what one refuses, none gets.
function placeOf({ kind, gateway, key }: Omit<Refusal, 'digest' | 'message'>, digest: ir.Digest): string {
  const where = kind === 'backend' || kind === 'endpoints' ? '' : gateway;
  return `${kind} ${where} ${key} ${digest}`;
}

/** It is not left out: the proxy is sent the listener again until it can open the port. */
export const isOfThePlace = ({ kind, message }: Pick<Refusal, 'kind' | 'message'>): boolean =>
  kind === 'listener' && ir.isOfThePlace(message);

/** What a user is told of a refusal. `what` is the thing that is left out, or cannot be had. */
export const refusalFault = (reason: string, what: string, { message }: Refusal): Fault => ({
  reason,
  message: `${what} is refused by the proxy, and left out until it is changed: ${shortened(message)}`,
});

/** On one line, and without the dump of the message that Envoy puts before what its validation says of it. */
export function shortened(message: string): string {
  const said = message.lastIndexOf(validation);
  const text = (said < 0 ? message : message.slice(said)).replaceAll(/\s+/g, ' ').trim();
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}
