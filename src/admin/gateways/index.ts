import { certificateRecord, listCertificates } from '../certificates/certificate-record.ts';
import { certificateList } from '../certificates/list.ts';
import { LazyList } from '../http/index.ts';
import { type Endpoint, list, single } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { gatewayRecord, listGateways } from './gateway-record.ts';
import { getGateway } from './get-gateway.ts';
import { gatewayList } from './list.ts';

/** `/v1/gateways`, one of them, and the certificates they show. */
export const gatewayEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  list('/v1/gateways', gatewayList, {
    entries: () => listGateways(sources.graph),
    present: (page) => new LazyList(page, (gateway) => gatewayRecord(gateway, sources)),
  }),
  single('/v1/gateways/:namespace/:name', (params) => gatewayRecord(getGateway(params, sources), sources)),
  list('/v1/certificates', certificateList, {
    entries: () => listCertificates(sources),
    present: (page) => {
      const now = sources.now();
      return new LazyList(page, (entry) => certificateRecord(entry, now));
    },
  }),
];
