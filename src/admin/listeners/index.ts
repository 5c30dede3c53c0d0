import type { ListenerView } from '../../graph/index.ts';
import { HttpError, LazyList } from '../http/index.ts';
import { type Endpoint, list, single } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { listenerList } from './list.ts';
import { findListeners, listenerRecord } from './listener-record.ts';

/** `/v1/listeners` and one of them. */
export const listenerEndpoints = ({ graph }: AdminSources): readonly Endpoint[] => [
  list('/v1/listeners', listenerList, {
    entries: () => graph.listeners(),
    present: (page) => new LazyList(page, (view) => listenerRecord(view, graph.snapshot())),
  }),
  single('/v1/listeners/:name', ({ name = '' }) =>
    listenerRecord(getListener(graph.listeners(), name), graph.snapshot()),
  ),
];

function getListener(views: Iterable<ListenerView>, name: string): ListenerView {
  const [found, ...others] = findListeners(views, name);
  if (found === undefined) throw new HttpError('listener_not_found', `there is no listener ${name}`);
  if (others.length === 0) return found;
  const details = [found, ...others].map((view) => ({ path: view.name, message: `listener ${name} of this Gateway` }));
  throw new HttpError('name_ambiguous', `${details.length} listeners are named ${name}; use a full name`, { details });
}
