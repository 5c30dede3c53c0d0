import type * as ir from '../../ir/index.ts';
import { isFailing, parseRule, type Standing, type Trouble } from '../../traffic/index.ts';
import { faultWords } from '../traffic/trouble-words.ts';
import { ids } from './parts.ts';
import type { TopologyStatus } from './record.ts';

export interface Health {
  readonly status: TopologyStatus;
  readonly detail: string;
}

/** What can be said of a backend: by its endpoints, and by requests to it. */
export interface Signs {
  readonly endpoints: readonly { readonly address: string; readonly healthy: boolean }[];
  readonly standing: Standing | undefined;
  /** Ids of the routes that forward to it. */
  readonly routes: ReadonlySet<string>;
}

/** Of a backend: the worse of its endpoints and of what happens to requests. */
export function backendHealth(backend: ir.Backend, signs: Signs): Health {
  const [endpoints, requests] = [endpointHealth(backend, signs), requestHealth(signs)];
  if (requests === undefined) return endpoints;
  const status = endpoints.status === 'failed' ? 'failed' : requests.status;
  return { status, detail: `${endpoints.detail}; ${requests.detail}` };
}

/** Of the endpoints of a backend alone. One that fails requests is not healthy, whatever else says that it is ready. */
export function endpointHealth({ hostname }: ir.Backend, { endpoints, standing }: Omit<Signs, 'routes'>): Health {
  const failing = new Set(standing?.endpoints.map(({ address }) => address));
  if (hostname !== undefined) {
    const detail = `found by DNS as ${hostname}`;
    if (failing.size === 0) return { status: 'healthy', detail };
    return { status: 'degraded', detail: `${detail}, ${[...failing].sort().join(', ')} failing` };
  }
  const healthy = endpoints.filter((endpoint) => endpoint.healthy && !failing.has(endpoint.address)).length;
  const detail = `${healthy} of ${endpoints.length} endpoints healthy`;
  if (healthy === 0) return { status: 'failed', detail };
  return { status: healthy < endpoints.length ? 'degraded' : 'healthy', detail };
}

/** Without counts, which differ with every report; undefined: no request fails. */
function requestHealth({ standing, routes }: Signs): Health | undefined {
  const troubles = (standing?.troubles ?? []).filter(isFailing).toSorted((a, b) => b.errors - a.errors);
  const [worst] = troubles;
  if (worst === undefined) return undefined;
  const isTotal = troubles.every(({ requests, errors }) => errors >= requests);
  const troubled = new Set(troubles.flatMap(routeOf));
  // Of rules without errors nothing is known here: others may be served.
  const status = isTotal && routes.isSubsetOf(troubled) ? 'failed' : 'degraded';
  return { status, detail: `${status === 'failed' ? 'all' : 'some'} of its requests fail: ${faultWords(worst)}` };
}

function routeOf({ route }: Trouble): string[] {
  const found = parseRule(route);
  return found === undefined ? [] : [ids.route(found)];
}
