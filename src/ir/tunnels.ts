import { parseBackendKey } from './keys.ts';
import type { Route, WeightedBackend } from './route.ts';
import type { RouteMatch } from './route-match.ts';

/** Whether requests that find a route open tunnels to its backends. */
export const opensTunnel = ({ match, rule: { upgrades, action } }: Route): boolean =>
  match.method === 'CONNECT' &&
  upgrades?.tunnels === true &&
  hasNoPath(match) &&
  action.kind === 'forward' &&
  action.backends.every(takesBytes);

/** CONNECT has no path: a match that asks for one finds none. */
const hasNoPath = ({ path }: RouteMatch): boolean => path.kind === 'prefix' && path.value === '/';

/** Others read requests within the proxy, or go where a request says. A share without a backend is answered by the proxy. */
const takesBytes = ({ backend }: WeightedBackend): boolean =>
  backend === undefined || byteSources.has(parseBackendKey(backend).source ?? 'service');

const byteSources: ReadonlySet<string> = new Set(['service', 'import', 'pods', 'external']);
