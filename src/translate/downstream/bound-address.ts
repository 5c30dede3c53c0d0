import type { MessageInitShape } from '@bufbuild/protobuf';
import { type AddressSchema, SocketAddress_Protocol } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';

/** Where a listener is open (`envoy.config.core.v3.Address`). */
export const boundAddress = (
  { address, port }: ir.Listener['bind'],
  protocol: 'TCP' | 'UDP',
): MessageInitShape<typeof AddressSchema> => ({
  address: {
    case: 'socketAddress',
    value: {
      protocol: SocketAddress_Protocol[protocol],
      address,
      portSpecifier: { case: 'portValue', value: port },
    },
  },
});
