import type { ListSpec } from '../http/index.ts';
import type { OurGateway } from './gateway-record.ts';

/** How lists of Gateways are narrowed and ordered. */
export const gatewayList: ListSpec<OurGateway> = {
  filters: {
    namespace:
      (value) =>
      ({ gateway }) =>
        gateway.metadata.namespace === value,
    name:
      (value) =>
      ({ gateway }) =>
        gateway.metadata.name === value,
  },
  sorts: {
    namespace: ({ gateway: { metadata } }) => [metadata.namespace, metadata.name].join('\u0000'),
    name: ({ gateway }) => gateway.metadata.name,
  },
};
