import { objectKey } from '../../gateway-api/index.ts';
import { HttpError } from '../http/index.ts';
import type { Params } from '../resource/endpoint.ts';
import { resource } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { findGateway, gatewayRecord, listGateways, type OurGateway } from './gateway-record.ts';
import { gatewayState, gatewayStates } from './gateway-state.ts';
import { gateway } from './record.ts';

/** `/v1/gateways` and one of them. */
export const gateways = resource({
  path: '/v1/gateways',
  summary: 'Gateways of our classes',
  record: gateway,
  list: {
    entries: ({ graph }: AdminSources) => listGateways(graph),
    filters: {
      namespace: (value) => (entry) => entry.gateway.metadata.namespace === value,
      name: (value) => (entry) => entry.gateway.metadata.name === value,
    },
    sorts: {
      namespace: ({ gateway: { metadata } }) => [metadata.namespace, metadata.name].join('\u0000'),
      name: (entry) => entry.gateway.metadata.name,
      state: ({ status }) => -gatewayStates.indexOf(gatewayState(status)),
    },
  },
  one: {
    at: '/:namespace/:name',
    summary: 'One Gateway',
    errors: ['gateway_not_found'],
    find: getGateway,
  },
  present: (sources) => (entry) => gatewayRecord(entry, sources),
});

/** The Gateway of a path that ends in a namespace and a name. Throws a 404 also for one that is not of our classes. */
export function getGateway({ namespace, name }: Params<'/:namespace/:name'>, { graph }: AdminSources): OurGateway {
  const key = objectKey(namespace, name);
  const found = findGateway(graph, key);
  if (found === undefined) throw new HttpError('gateway_not_found', `there is no Gateway ${key} of our classes`);
  return found;
}
