import type * as ir from '../../ir/index.ts';
import type { ListSpec } from '../http/index.ts';
import { backendName } from './backend-record.ts';

/** How lists of backends are narrowed and ordered. */
export const backendList: ListSpec<ir.Backend> = {
  filters: {
    namespace: (value) => (backend) => backend.namespace === value,
    name: (value) => (backend) => backendName(backend) === value,
    service: (value) => (backend) => backend.service === value,
    protocol: (value) => (backend) => backend.protocol === value,
  },
  sorts: {
    // TCP before UDP of the same port number.
    namespace: ({ namespace, service, port, protocol }) =>
      [namespace, service, String(port).padStart(5, '0'), protocol === 'udp' ? 'udp' : ''].join('\u0000'),
    name: backendName,
    service: ({ service }) => service,
    port: ({ port }) => port,
  },
};
