import type { AdminClient } from '../kit/admin-client.ts';
import { age } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';
import { attempt } from './attempt.ts';
import type { Found } from './find-object.ts';
import { type Section, section } from './section.ts';

type Problem = Wire['problems']['items'][number];

/** All problems of some objects, with the next steps. `objects`: KIND/NAMESPACE/NAME, as problems name them. */
export const problemSection = (client: AdminClient, objects: readonly string[]): Promise<Section> =>
  attempt('problems', async () => {
    const lists = await Promise.all(
      objects.map((object) =>
        client.get<Wire['problems']>(`/v1/problems?${new URLSearchParams({ object, limit: '500' })}`),
      ),
    );
    const problems = lists.flatMap(({ items }) => items);
    return section('problems', problems, problems.length > 0 ? problems.flatMap(problemLines) : ['none']);
  });

const problemLines = ({ severity, code, message, cause, next }: Problem): string[] => [
  `${severity}: ${message} (${code})`,
  `    means: ${cause}`,
  `    next: ${next}`,
];

/** So many events are shown. */
const mostEvents = 8;

/** What happened to an object a short time ago, the newest first, as far as the control plane still knows. */
export const eventSection = (
  client: AdminClient,
  isOfIt: (event: Wire['event']) => boolean,
  now: Date,
): Promise<Section> =>
  attempt('recentEvents', async () => {
    const all = await client.get<readonly Wire['event'][]>('/v1/events/recent?limit=500');
    const events = all.filter(isOfIt).slice(0, mostEvents);
    const lines = events.map((event) => `${age(event.at, now).padEnd(4)} ${eventText(event)}`);
    return section(
      'recentEvents',
      events,
      lines.length > 0 ? lines : ['none since the control plane started, or among its latest 500'],
    );
  });

/** Events of an object itself, and of its problems. */
export const eventsOf =
  ({ kind, namespace, name }: Found) =>
  (event: Wire['event']): boolean =>
    event.kind === kind && event.namespace === namespace && event.name === name;

function eventText({ type, action, generation, message, reason, lastAckVersion }: Wire['event']): string {
  const behind = typeof generation === 'number' ? `, generation ${generation}` : '';
  if (type === 'resource') return `${action}${behind}`;
  if (type === 'access') return `access: ${message}`;
  if (type === 'problem') return `problem ${action}: ${message}`;
  const what = action === 'applied' ? `applied ${String(lastAckVersion).slice(0, 12)}` : String(action);
  return [what, reason, message].filter(Boolean).join(': ');
}
