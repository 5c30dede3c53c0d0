import type * as ir from '../../ir/index.ts';
import { HttpError, oneOf } from '../http/index.ts';
import type { Params } from '../resource/endpoint.ts';
import { resource } from '../resource/resource.ts';
import { lazily } from '../resource/shown.ts';
import type { AdminSources } from '../sources.ts';
import { indexTroubles } from '../traffic/backend-troubles.ts';
import { askStanding } from '../traffic/standing.ts';
import { askRejectedNames } from './ask-rejected-names.ts';
import { backendRanks } from './backend-ranks.ts';
import { backendName, backendRecord, findBackends, listBackends } from './backend-record.ts';
import { indexSlices } from './endpoint-records.ts';
import { lightBackend, lightBackendRecord } from './light-backend.ts';
import { type BackendRecord, backend } from './record.ts';
import { tagOfBackends } from './tag-of-backends.ts';

/** `/v1/backends` and one of them. */
export const backends = resource({
  path: '/v1/backends',
  summary: 'Ports of Services that routes forward to',
  record: backend,
  revision: tagOfBackends,
  view: {
    query: { view: '`full`, or `light`: of `referencedBy` a count and the first 20' },
    answer: backend.array().or(lightBackend.array()),
    show(page, toRecord, query) {
      return lazily<ir.Backend, unknown>(page, (entry) => shown(toRecord(entry), query));
    },
    one: {
      answer: backend.or(lightBackend),
      show: (entry, toRecord, query) => shown(toRecord(entry), query),
    },
  },
  list: {
    entries: ({ graph }: AdminSources) => listBackends(graph),
    filters: {
      namespace:
        (value) =>
        ({ namespace }) =>
          namespace === value,
      name: (value) => (entry) => backendName(entry) === value,
      service:
        (value) =>
        ({ service }) =>
          service === value,
      protocol:
        (value) =>
        ({ protocol }) =>
          protocol === value,
    },
    sorts: {
      // TCP before UDP of the same port number.
      namespace: ({ namespace, service, port, protocol }) =>
        [namespace, service, String(port).padStart(5, '0'), protocol === 'udp' ? 'udp' : ''].join('\u0000'),
      name: backendName,
      service: ({ service }) => service,
      port: ({ port }) => port,
      state: { lookUp: backendRanks },
    },
  },
  one: {
    at: '/:namespace/:name',
    summary: 'One backend',
    errors: ['backend_not_found', 'name_ambiguous'],
    find: getBackend,
  },
  async present(sources, page) {
    const { graph } = sources;
    const [rejectedNames, standing] = await Promise.all([askRejectedNames(page, sources), askStanding(sources)]);
    const troubles = indexTroubles(standing);
    const slicesOf = indexSlices(graph);
    return (entry) => backendRecord(entry, { graph, slicesOf, rejectedNames, troubles });
  },
});

const shown = (record: BackendRecord, query: ReadonlyMap<string, string>) =>
  oneOf('view', query.get('view') ?? 'full', ['full', 'light']) === 'light' ? lightBackendRecord(record) : record;

/** The backend of a path that ends in a namespace and a name. Throws a 404, or a 409 for a Service with several ports. */
export function getBackend({ namespace, name }: Params<'/:namespace/:name'>, { graph }: AdminSources): ir.Backend {
  const [found, ...others] = findBackends(graph, namespace, name);
  if (found === undefined) throw new HttpError('backend_not_found', `there is no backend ${namespace}/${name}`);
  if (others.length === 0) return found;
  const details = [found, ...others].map((each) => ({ path: backendName(each), message: `port ${each.port}` }));
  throw new HttpError('name_ambiguous', `Service ${namespace}/${name} has several ports; use SERVICE:PORT`, {
    details,
  });
}
