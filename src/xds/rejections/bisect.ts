import type { Origin, Provenance } from '../../translate/index.ts';

/** What is at fault, by Origin.key, with Envoy's words for it. */
export interface RejectionCause {
  readonly key: string;
  readonly message: string;
}

/** Asks for a verdict on a resource of these origins alone, and is given why Envoy rejected it; undefined: it took it. */
export type Probing<T> = Generator<readonly string[], T, string | undefined>;

/**
 * Finds which of a rejected resource's origins are at fault: those that Envoy's `message` names, else among what is not in
 * `taken` (the resource as some client took it before), else among all; by halves. Each
 * probe stands apart from what is served, so that the search removes nothing: what Envoy has of the
 * resource stays in use, and the other origins' changes go out between the probes. With `n` origins of which `k` are at fault
 * it takes about `2 k log2(n)` probes that hold `2 n` parts in all. What cannot be probed is suspected by what changed (HeldBack.suspect).
 */
export function* bisectRejection(
  provenance: Provenance,
  message: string,
  taken?: Provenance,
): Probing<readonly RejectionCause[]> {
  const origins = provenance.origins();
  const keys = origins.map(({ key }) => key);
  if (keys.length <= 1) return keys.map((key) => ({ key, message }));
  if (!provenance.probe) {
    const named = provenance.namedIn?.(message) ?? [];
    return withoutProbes(keys, narrowed(named, changedSince(origins, taken)), message);
  }
  const named = yield* among((provenance.namedIn?.(message) ?? []).map((key) => [key]));
  if (named.length > 0) return named;
  const changed = yield* among(halves(changedSince(origins, taken)).filter((half) => half.length > 0));
  if (changed.length > 0) return changed;
  const alone = yield* among(halves(keys));
  return alone.length > 0 ? alone : yield* lastAdded(keys);
}

/** What the client names is at fault, else what is new or changed; else everything: what guards a port may rather be closed than left as it was not meant. */
const withoutProbes = (
  keys: readonly string[],
  suspected: readonly string[],
  message: string,
): readonly RejectionCause[] => (suspected.length > 0 ? suspected : keys).map((key) => ({ key, message }));

/** Those of both lists; else those of the first that has any. */
function narrowed(named: readonly string[], changed: readonly string[]): readonly string[] {
  const both = named.filter((key) => changed.includes(key));
  return [both, named, changed].find((keys) => keys.length > 0) ?? [];
}

/**
 * Keys of the origins that are new or have other content; none when it is not known what was there before. One that has the content of another is not new: what a
 * policy demands is split when only some of its targets change.
 */
function changedSince(origins: readonly Origin[], taken: Provenance | undefined): readonly string[] {
  if (!taken) return [];
  const before = new Map(taken.origins().map(({ key, digest }) => [key, digest]));
  const contents = new Set(before.values());
  const isChanged = ({ key, digest }: Origin): boolean =>
    before.has(key) ? before.get(key) !== digest : !contents.has(digest);
  return origins.filter(isChanged).map(({ key }) => key);
}

/** The origins at fault in these groups, each of which is probed. */
function* among(groups: readonly (readonly string[])[]): Probing<readonly RejectionCause[]> {
  const found: RejectionCause[] = [];
  for (const group of groups) {
    const message = yield group;
    if (message === undefined) continue;
    const [key = ''] = group;
    if (group.length === 1) found.push({ key, message });
    else found.push(...(yield* among(halves(group))));
  }
  return found;
}

/** Each alone is taken, and all together are not: the first one that makes those before it too much. None if all are taken after all. */
function* lastAdded(keys: readonly string[]): Probing<readonly RejectionCause[]> {
  let message = yield keys;
  if (message === undefined) return [];
  let [taken, rejected] = [0, keys.length];
  while (rejected - taken > 1) {
    const middle = Math.ceil((taken + rejected) / 2);
    const answer = yield keys.slice(0, middle);
    if (answer === undefined) taken = middle;
    else [rejected, message] = [middle, answer];
  }
  return [{ key: keys[rejected - 1] ?? '', message }];
}

function halves<T>(items: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}
