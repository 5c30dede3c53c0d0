import { create } from '@bufbuild/protobuf';
import { EarlyHeaderMutationSchema, packAny } from '../../envoy/index.ts';

/** Where pickers write which endpoints they choose, `IP:PORT`, the best first. Source: Endpoint Picker Protocol of the Inference Extension. */
export const destination = 'x-gateway-destination-endpoint';

/** The namespace of dynamic metadata for the same, which no client can write. */
export const pickNamespace = 'envoy.lb';

/** The endpoint that served, for pickers: `IP:PORT`. */
const served = 'x-gateway-destination-endpoint-served';

const subset = 'x-gateway-destination-endpoint-subset';

/** Says that a picker failed before a model server was asked, so that the request may go another way. */
export const pickFailed = { header: 'x-gw-pick', value: 'failed' } as const;

/** Before anything looks at it: what a client says in the name of a picker counts for nothing. */
export const withoutPicks = {
  name: 'gatewright.pool.early',
  typedConfig: packAny(
    EarlyHeaderMutationSchema,
    create(EarlyHeaderMutationSchema, {
      mutations: [destination, served, subset].map((remove) => ({
        action: { case: 'remove' as const, value: remove },
      })),
    }),
  ),
};
