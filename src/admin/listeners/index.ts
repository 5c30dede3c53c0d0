import type { ListenerView } from '../../graph/index.ts';
import { flag, HttpError, oneOf } from '../http/index.ts';
import { listenerState } from '../resource/conditions.ts';
import { resource } from '../resource/resource.ts';
import { lazily } from '../resource/shown.ts';
import { routeKinds } from '../routes/route-kinds.ts';
import type { AdminSources } from '../sources.ts';
import { findListeners, lightListenerRecord, listenerRecord } from './listener-record.ts';
import { lightListener, listener } from './record.ts';

/** `/v1/listeners` and one of them. `gateway` is `NAMESPACE/NAME` or `NAME`; `name` is the full or the section name. */
export const listeners = resource({
  path: '/v1/listeners',
  summary: 'Listeners of all Gateways',
  record: listener,
  revision: ({ tagOf, graph }) =>
    `${tagOf('Gateway', 'ListenerSet', 'Secret', ...routeKinds.map(({ kind }) => kind))}-${graph.snapshot()?.id}`,
  view: {
    query: { view: '`full`, or `light`: without `routes`, which `/v1/routes?listener=NAME` has by page' },
    answer: listener.array().or(lightListener.array()),
    show(page, toRecord, query, { graph }) {
      return lazily(page, isLight(query) ? (view) => lightListenerRecord(view, graph.snapshot()) : toRecord);
    },
    one: {
      answer: listener.or(lightListener),
      show: (view, toRecord, query, { graph }) =>
        isLight(query) ? lightListenerRecord(view, graph.snapshot()) : toRecord(view),
    },
  },
  list: {
    entries: ({ graph }: AdminSources) => graph.listeners(),
    filters: {
      namespace: (value) => (view) => view.gateway.namespace === value,
      name: (value) => (view) => view.name === value || view.section === value,
      gateway: (value) => (view) =>
        value === view.gateway.name || value === `${view.gateway.namespace}/${view.gateway.name}`,
      hostname: (value) => (view) => view.hostname === value,
      protocol: (value) => (view) => view.protocol.toLowerCase() === value.toLowerCase(),
      ready: (value) => {
        const wanted = flag('ready', value);
        return (view) => (listenerState(view.conditions) === 'ready') === wanted;
      },
    },
    sorts: {
      name: (view) => view.name,
      port: (view) => view.port,
      protocol: (view) => view.protocol,
      attachedRoutes: (view) => view.attachedRoutes,
    },
  },
  one: {
    at: '/:name',
    summary: 'One listener',
    errors: ['listener_not_found', 'name_ambiguous'],
    find: ({ name }, { graph }) => getListener(graph.listeners(), name),
  },
  present:
    ({ graph }) =>
    (view) =>
      listenerRecord(view, graph.snapshot()),
});

const isLight = (query: ReadonlyMap<string, string>): boolean =>
  oneOf('view', query.get('view') ?? 'full', ['full', 'light']) === 'light';

function getListener(views: Iterable<ListenerView>, name: string): ListenerView {
  const [found, ...others] = findListeners(views, name);
  if (found === undefined) throw new HttpError('listener_not_found', `there is no listener ${name}`);
  if (others.length === 0) return found;
  const details = [found, ...others].map((view) => ({ path: view.name, message: `listener ${name} of this Gateway` }));
  throw new HttpError('name_ambiguous', `${details.length} listeners are named ${name}; use a full name`, { details });
}
