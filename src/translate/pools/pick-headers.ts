import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { poolHeaders, poolNamedChars, type poolOutcomes } from '../../contracts/index.ts';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  EarlyHeaderMutationSchema,
  type HeaderValueOptionSchema,
  packAny,
} from '../../envoy/index.ts';

/** Where pickers write which endpoints they choose, `IP:PORT`, the best first. Source: Endpoint Picker Protocol of the Inference Extension. */
export const destination = 'x-gateway-destination-endpoint';

/** The namespace of dynamic metadata for the same, which no client can write. */
export const pickNamespace = 'envoy.lb';

/** The endpoint that served, for pickers: `IP:PORT`. */
const served = 'x-gateway-destination-endpoint-served';

const subset = 'x-gateway-destination-endpoint-subset';

/** Says that a picker failed before a model server was asked, so that the request may go another way. */
export const pickFailed = { header: poolHeaders.pick, value: 'failed' } as const;

type HeaderOption = MessageInitShape<typeof HeaderValueOptionSchema>;

const setTo = (key: string, value: string): HeaderOption => ({
  header: { key, value },
  appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD,
  // What a picker did not say is no header.
  keepEmptyValue: false,
});

/** For answers of Envoy's own: what became of the pick. */
export const outcomeIs = (outcome: (typeof poolOutcomes)[number]): HeaderOption => setTo(poolHeaders.pick, outcome);

const bounded = `:${poolNamedChars}`;

/** For answers of model servers: which of them was asked, and why. What they say of it themselves is overwritten. */
export const whoServed = (outcome: 'picked' | 'any'): readonly HeaderOption[] => [
  outcomeIs(outcome),
  setTo(poolHeaders.endpoint, '%UPSTREAM_REMOTE_ADDRESS%'),
  ...(outcome === 'picked'
    ? [
        setTo(
          poolHeaders.named,
          `%DYNAMIC_METADATA(${pickNamespace}:${destination})${bounded}%,%REQ(${destination})${bounded}%`,
        ),
      ]
    : []),
];

/** What neither a model server nor a picker can say in our name. */
export const servedHeaders: readonly string[] = Object.values(poolHeaders);

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
