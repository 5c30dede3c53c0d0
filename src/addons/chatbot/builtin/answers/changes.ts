import { clusterText, lines, mostListed, paragraphs } from '../cluster-text.ts';
import type { Texts } from '../texts/index.ts';
import type { KnownObject } from '../understand/resolve.ts';
import { type Answer, type Answering, nameOf, type Page } from './answering.ts';
import { mentionsAnswer } from './mentions.ts';

interface LoggedEvent {
  readonly type: 'snapshot' | 'node' | 'resource' | 'problem';
  readonly at: string;
  readonly action?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly nodeId?: string;
  readonly message?: string;
}

/** The API looks at no more. */
const mostEvents = 500;
const pageSize = 100;

/** What happened since a time, or lately; to the objects that the question names if there are any. */
export async function* changesAnswer(answering: Answering): Answer {
  const { frame, call, say } = answering;
  const parts: string[] = [];
  for (const missing of frame.names.missing.slice(0, 1)) parts.push(yield* mentionsAnswer(missing, answering));
  const since = frame.time?.since;
  const events: LoggedEvent[] = [];
  let total = 1;
  for (let offset = 0; offset < Math.min(total, mostEvents); offset += pageSize) {
    const page = (yield* call('recent_events', {
      limit: pageSize,
      offset,
      ...(since && { since: since.toISOString() }),
    })) as Page<LoggedEvent>;
    events.push(...page.entries);
    total = page.total;
  }
  const { objects, namespace } = frame;
  const wanted = events.filter((event) => isWanted(event, objects, namespace));
  const time = since === undefined ? '' : timeText(since);
  if (wanted.length === 0)
    return paragraphs(
      ...parts,
      objects.length > 0 ? say.nothingOf(objects.map(nameOf).join(', ')) : say.nothingSince(time === '' ? '?' : time),
    );
  return paragraphs(
    ...parts,
    since === undefined ? say.changesNewest : say.changesSince(time),
    eventLines(wanted, say),
    total >= mostEvents && since !== undefined && say.atLeast,
  );
}

/** `2026-01-02 03:04` */
const timeText = (time: Date): string => time.toISOString().slice(0, 16).replace('T', ' ');

function isWanted(event: LoggedEvent, objects: readonly KnownObject[], namespace: string | undefined): boolean {
  if (namespace !== undefined && event.namespace !== namespace) return false;
  if (objects.length === 0) return true;
  return objects.some(({ kind, namespace: of, name }) =>
    event.nodeId === undefined
      ? event.name === name && event.namespace === of && (event.kind === kind || event.type === 'problem')
      : kind === 'Node' && event.nodeId === name,
  );
}

/** Equal events of one object are one line; snapshots follow from the others and are counted. */
function eventLines(events: readonly LoggedEvent[], say: Texts): string {
  const groups = Map.groupBy(
    events.filter(({ type }) => type !== 'snapshot'),
    ({ type, action, kind, namespace, name, nodeId, message }) =>
      JSON.stringify([type, action, kind, namespace, name, nodeId, message]),
  );
  const snapshots = events.length - [...groups.values()].reduce((sum, { length }) => sum + length, 0);
  const shown = [...groups.values()].slice(0, 2 * mostListed).map(([first, ...others]) => {
    const more = others.length > 0 ? ` (${say.times(others.length + 1)})` : '';
    return `${eventText(first as LoggedEvent, say)}${more}`;
  });
  return paragraphs(
    lines([...shown, ...(snapshots > 0 ? [say.snapshots(snapshots)] : [])]),
    groups.size > shown.length && say.more(groups.size - shown.length),
  );
}

function eventText(
  { type, at, action = '', kind = '', namespace = '', name = '', nodeId, message = '' }: LoggedEvent,
  say: Texts,
): string {
  const time = at.slice(0, 19).replace('T', ' ');
  const what = nodeId === undefined ? nameOf({ kind, namespace, name }) : clusterText(`Node ${nodeId}`);
  const words = type === 'node' ? action : (say.event[action] ?? action);
  return `${time} ${what}: ${words}${message === '' ? '' : `: ${clusterText(message)}`}`;
}
