import type { ListenerView } from '../../graph/index.ts';
import { flag, type ListSpec } from '../http/index.ts';
import { listenerState } from '../resource/conditions.ts';

/** How lists of listeners are narrowed and ordered. `gateway` is `NAMESPACE/NAME` or `NAME`; `name` is the full or the section name. */
export const listenerList: ListSpec<ListenerView> = {
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
};
