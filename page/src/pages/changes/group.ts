import type { Event } from '../../api/gen/types.ts';

export interface ChangedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The same rejection of a proxy, however often it came. */
export interface Rejection {
  readonly nodeId: string;
  readonly message: string;
  readonly times: number;
  readonly since: Date;
}

/** A problem that came up or ended. */
export interface ProblemChange extends ChangedObject {
  readonly action: 'raised' | 'ended';
  readonly code: string;
  readonly severity: string;
  readonly message: string;
}

/** A proxy that came or went. */
export interface Coming {
  readonly at: Date;
  readonly nodeId: string;
  readonly action: string;
  readonly reason: string;
}

/** A snapshot, and what happened until the next one. */
export interface Change {
  /** Undefined for what happened before the oldest snapshot that is known. */
  readonly snapshot: string | undefined;
  readonly at: Date;
  readonly changed: readonly ChangedObject[];
  readonly changedCount: number;
  /** The oldest snapshot that is known: it has all that was there at the start. */
  readonly isFirst: boolean;
  /** Conditions alone changed: the snapshot is the one before. */
  readonly isSame: boolean;
  /** Proxies that have applied it or a newer one, and after how many milliseconds the last of them had. */
  readonly applied: { readonly proxies: number; readonly ms: number } | undefined;
  readonly rejections: readonly Rejection[];
  readonly problems: readonly ProblemChange[];
  readonly comings: readonly Coming[];
}

interface Draft {
  readonly snapshot: Event | undefined;
  readonly events: Event[];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const timeOf = ({ at }: Event): number => Date.parse(at);

/** Events, the newest first as the API has them, by the snapshot that they came with or after; the newest first. */
export function changesOf(newestFirst: readonly Event[]): readonly Change[] {
  const events = newestFirst.toReversed();
  const drafts: Draft[] = [{ snapshot: undefined, events: [] }];
  for (const event of events) {
    if (event.type === 'snapshot') drafts.push({ snapshot: event, events: [] });
    else drafts.at(-1)?.events.push(event);
  }
  const applied = events.filter(({ type, action }) => type === 'node' && action === 'applied');
  const folded = rejectionsOf(events);
  const changes = drafts.map((draft, at) => changeOf(draft, { before: drafts[at - 1], applied, folded }));
  return changes
    .filter(({ snapshot, comings, problems, rejections }) => {
      return snapshot !== undefined || comings.length + problems.length + rejections.length > 0;
    })
    .toReversed();
}

interface Around {
  readonly before: Draft | undefined;
  readonly applied: readonly Event[];
  readonly folded: ReadonlyMap<Event, Rejection>;
}

function changeOf({ snapshot, events }: Draft, { before, applied, folded }: Around): Change {
  const isSame = snapshot !== undefined && snapshot.id === before?.snapshot?.id;
  return {
    snapshot: snapshot?.id,
    at: new Date(snapshot?.at ?? events[0]?.at ?? 0),
    changed: Array.isArray(snapshot?.changed) ? (snapshot.changed as ChangedObject[]) : [],
    changedCount: Number(snapshot?.changedCount ?? 0),
    isFirst: snapshot !== undefined && before?.snapshot === undefined && before?.events.length === 0,
    isSame,
    applied: snapshot === undefined || isSame ? undefined : appliedAfter(snapshot, applied),
    rejections: events.flatMap((event) => folded.get(event) ?? []),
    problems: events.filter(({ type }) => type === 'problem').map((event) => event as unknown as ProblemChange),
    comings: events.filter(isComing).map((event) => ({
      at: new Date(event.at),
      nodeId: text(event.nodeId),
      action: text(event.action),
      reason: text(event.reason),
    })),
  };
}

const isComing = ({ type, action }: Event): boolean =>
  type === 'node' && (action === 'connected' || action === 'disconnected' || action === 'forgotten');

/** A proxy that has applied a newer snapshot has this one's changes, too. */
function appliedAfter(snapshot: Event, applied: readonly Event[]): Change['applied'] {
  const first = new Map<string, number>();
  for (const event of applied) {
    const node = text(event.nodeId);
    if (timeOf(event) >= timeOf(snapshot) && !first.has(node)) first.set(node, timeOf(event));
  }
  if (first.size === 0) return undefined;
  return { proxies: first.size, ms: Math.max(...first.values()) - timeOf(snapshot) };
}

/** Under the last of all that are the same: proxies refuse again whenever they are offered the same. */
function rejectionsOf(events: readonly Event[]): ReadonlyMap<Event, Rejection> {
  const groups = Map.groupBy(
    events.filter(({ type, action }) => type === 'node' && action === 'nacked'),
    ({ nodeId, message }) => JSON.stringify([nodeId, message]),
  );
  const folded = new Map<Event, Rejection>();
  for (const same of groups.values()) {
    const [first, last] = [same[0], same.at(-1)];
    if (first === undefined || last === undefined) continue;
    folded.set(last, {
      nodeId: text(last.nodeId),
      message: text(last.message),
      times: same.length,
      since: new Date(first.at),
    });
  }
  return folded;
}
