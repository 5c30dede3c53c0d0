import { literalPattern } from '../../ir/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';

/** One response's content. A name is in one of the lists only. */
export interface Batch {
  readonly upserts: readonly EnvoyResource[];
  /** Names that are gone, or that were asked for and do not exist. */
  readonly removed: readonly string[];
}

/** What a NACK means for each part of the batch. */
export interface Verdict {
  /** At fault for sure: not sent again until they change. */
  readonly rejected: readonly EnvoyResource[];
  /** Taken all the same. */
  readonly applied: readonly EnvoyResource[];
  /** To be sent again, in smaller portions, as one bad resource must not hold back its neighbours. */
  readonly retries: readonly Batch[];
}

/**
 * Finds who is at fault in a rejected batch. `partial`: Envoy applied the good ones and names the bad ones (CDS, LDS). Of
 * other types Envoy takes nothing; then the resource that the message names is sent apart from the others, else each half by
 * itself, until a batch of one is rejected.
 */
export function splitRejected(batch: Batch, message: string, partial: boolean): Verdict {
  const { upserts, removed } = batch;
  if (upserts.length <= 1) {
    const rest = removed.length > 0 && upserts.length === 1 && !partial;
    return { rejected: upserts, applied: [], retries: rest ? [{ upserts: [], removed }] : [] };
  }
  const named = upserts.filter(({ name }) => mentions(message, name));
  const others = upserts.filter((resource) => !named.includes(resource));
  if (partial && named.length > 0) {
    // Who is named behind the cut is not known: sent again, what Envoy has taken changes nothing.
    if (message.endsWith(cutMark) && others.length > 0)
      return { rejected: named, applied: [], retries: [{ upserts: others, removed: [] }] };
    return { rejected: named, applied: others, retries: [] };
  }
  const [good, bad] = named.length > 0 && others.length > 0 ? [others, named] : halves(upserts);
  return {
    rejected: [],
    applied: [],
    retries: [
      { upserts: good, removed },
      { upserts: bad, removed: [] },
    ],
  };
}

/**
 * Whether Envoy applied what it does not name, of a type of which it may (CDS, LDS). What breaks a rule of its definition makes Envoy 1.40 reject the response
 * before it applies anything, though its words name a resource all the same. Source: Envoy, CdsApiHelper and ListenerManagerImpl; DecodedResourceImpl.
 */
export const isAppliedInPart = (message: string): boolean => message.includes('Error adding/updating ');

function halves<T>(items: readonly T[]): [readonly T[], readonly T[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** How a message ends that is longer than 4096 bytes. Source: Envoy, Utility::truncateGrpcStatusMessage. */
export const cutMark = '...(truncated)';

/**
 * What a message says about each of the resources that it names: Envoy has a line `NAME: REASON` for each listener and cluster. The whole
 * message where it has not. The message is read once for each name, not once for each pair of them.
 */
export function wordsOf(named: readonly string[], message: string): (name: string) => string {
  if (named.length <= 1) return () => message;
  const text = `\n${message}`;
  const starts = new Map(named.map((name) => [name, text.search(new RegExp(`\\s${literalPattern(name)}: `))]));
  const inOrder = [...starts.values()].filter((at) => at >= 0).sort((a, b) => a - b);
  const ends = new Map(inOrder.map((at, index) => [at, inOrder[index + 1] ?? message.length]));
  return (name) => {
    const start = starts.get(name) ?? -1;
    return start < 0 ? message : message.slice(start, ends.get(start)).trim();
  };
}

// `ns/web/80` is not mentioned by a message about `ns/web/8080`, nor by one that is cut behind it.
function mentions(message: string, name: string): boolean {
  for (let at = message.indexOf(name); at >= 0; at = message.indexOf(name, at + 1)) {
    const isCut = message.startsWith(cutMark, at + name.length) && message.length === at + name.length + cutMark.length;
    if (!isCut && !isNamePart(message[at - 1]) && !isNamePart(message[at + name.length])) return true;
  }
  return false;
}

const isNamePart = (character: string | undefined): boolean =>
  character !== undefined && /[A-Za-z0-9/_*-]/.test(character);
