import { certificateRecord, listCertificates } from '../certificates/certificate-record.ts';
import { certificateList } from '../certificates/list.ts';
import { LazyList } from '../http/index.ts';
import { type Endpoint, list, single } from '../resource/endpoint.ts';
import type { World } from '../world.ts';
import { gatewayRecord, listGateways } from './gateway-record.ts';
import { getGateway } from './get-gateway.ts';
import { gatewayList } from './list.ts';

/** `/v1/gateways`, one of them, and the certificates they show. */
export const gatewayEndpoints = (world: World): readonly Endpoint[] => [
  list('/v1/gateways', gatewayList, {
    entries: () => listGateways(world.graph),
    present: (page) => new LazyList(page, (gateway) => gatewayRecord(gateway, world)),
  }),
  single('/v1/gateways/:namespace/:name', (params) => gatewayRecord(getGateway(params, world), world)),
  list('/v1/certificates', certificateList, {
    entries: () => listCertificates(world),
    present: (page) => {
      const now = world.now();
      return new LazyList(page, (entry) => certificateRecord(entry, now));
    },
  }),
];
