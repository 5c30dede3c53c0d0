import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  deniedStatuses,
  durationBounds,
  failureFlags,
  failureLogs,
  failureStatus,
  failureTags,
  noRouteFlag,
  trafficService,
} from '../../contracts/index.ts';
import {
  type AccessLogFilterSchema,
  type AccessLogSchema,
  ApiVersion,
  HttpGrpcAccessLogConfigSchema,
  ComparisonFilter_Op as Op,
  packAny,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { scopeHeader } from '../hosts/index.ts';
import { countingLog, durationOf, type LogCounter } from '../resource/index.ts';

type FilterSpecifier = NonNullable<Filter['filterSpecifier']>;
type AccessLog = MessageInitShape<typeof AccessLogSchema>;
type Filter = MessageInitShape<typeof AccessLogFilterSchema>;

/** How long failures wait for more of them, and how much of them an Envoy holds back for an agent that takes no more; the rest is dropped. */
const flushMs = 500;
const bufferBytes = 16 * 1024;

/**
 * What counts the requests of a chain by route, backend, status and flags, and how long they took; and what sends the agent those that
 * failed. Counters are made at the first request. They cost a request some hundred nanoseconds; a histogram for each route would cost the
 * proxy ten times their memory. The agent takes few failures a second: Envoy drops what it does not take, so a flood costs it nothing.
 */
export function trafficLogs({ table, traffic, showsClients }: ir.HttpChain): AccessLog[] {
  if (traffic === 'off') return [];
  return [...countingLogs(table), ...sendingLogs(customTags(table, showsClients === true))];
}

const countingLogs = (table: string): AccessLog[] => [
  counting('gatewright.traffic', table, [requests, milliseconds]),
  ...durationBounds.map((bound) => counting(`gatewright.ge${bound}`, table, [atLeast(bound)], lasted(bound))),
];

const sendingLogs = (tags: CustomTags): AccessLog[] => [
  sending(failureLogs.failures, tags, {
    case: 'orFilter',
    value: {
      filters: [
        {
          filterSpecifier: {
            case: 'statusCodeFilter',
            value: { comparison: from(failureStatus, 'gw.failure_status') },
          },
        },
        { filterSpecifier: { case: 'responseFlagFilter', value: { flags: [...failureFlags] } } },
      ],
    },
  }),
  sending(failureLogs.unrouted, tags, {
    case: 'orFilter',
    value: {
      filters: [
        { filterSpecifier: { case: 'responseFlagFilter', value: { flags: [noRouteFlag] } } },
        { filterSpecifier: answeredHere },
      ],
    },
  }),
];

/** The proxy itself says that there is no such host or path, or does not let the client in: a request that goes to a backend has the header no more. */
const answeredHere: FilterSpecifier = {
  case: 'andFilter',
  value: {
    filters: [
      // First, because most requests go to a backend: each comparison of a status looks up a runtime key.
      {
        filterSpecifier: {
          case: 'headerFilter',
          value: { header: { name: scopeHeader, headerMatchSpecifier: { case: 'presentMatch', value: true } } },
        },
      },
      {
        filterSpecifier: {
          case: 'orFilter',
          value: { filters: [is(404), is(421), ...deniedStatuses.map(is)] },
        },
      },
    ],
  },
};

function is(status: number): Filter {
  const comparison = { op: Op.EQ, value: { defaultValue: status, runtimeKey: `gw.is${status}` } };
  return { filterSpecifier: { case: 'statusCodeFilter', value: { comparison } } };
}

const from = (value: number, runtimeKey: string) => ({ op: Op.GE, value: { defaultValue: value, runtimeKey } });

const lasted = (bound: number): Filter => ({
  filterSpecifier: { case: 'durationFilter', value: { comparison: from(bound, `gw.ge${bound}`) } },
});

/** Without dots, so that it ends where the next part begins. */
const trafficTable = (table: string): string => table.replaceAll('.', '~');

/**
 * One tag, whose name and value read like a tag for each part. Envoy looks up and stores each tag by itself, so with five tags counting costs about twice as
 * much. The value is the end of the counter's name: agents, also older ones, read the parts as if they were tags.
 */
const tagged = (name: string, table: string, more = '') => ({
  name,
  tags: [
    {
      name: 'listener',
      valueFormat: `${trafficTable(table)}.route.%ROUTE_NAME%.backend.%UPSTREAM_CLUSTER%${more}`,
    },
  ],
});

type MakeCounter = (table: string) => LogCounter;

const requests: MakeCounter = (table) => ({
  stat: tagged('rq', table, '.code.%RESPONSE_CODE%.flags.%RESPONSE_FLAGS%'),
  valueFixed: 1n,
});

const milliseconds: MakeCounter = (table) => ({ stat: tagged('ms', table), valueFormat: '%DURATION%' });

const atLeast =
  (bound: number): MakeCounter =>
  (table) => ({ stat: tagged(`ge${bound}`, table), valueFixed: 1n });

const counting = (name: string, table: string, counters: readonly MakeCounter[], filter?: Filter): AccessLog =>
  countingLog(
    name,
    counters.map((make) => make(table)),
    filter,
  );

type CustomTags = NonNullable<
  NonNullable<MessageInitShape<typeof HttpGrpcAccessLogConfigSchema>['commonConfig']>['customTags']
>;

/** What the agent reads beside the entry itself. */
const customTags = (table: string, showsClients: boolean): CustomTags => [
  { tag: failureTags.listener, type: { case: 'literal', value: { value: table } } },
  // The entry itself has it only when an endpoint was chosen.
  { tag: failureTags.backend, type: { case: 'value', value: '%UPSTREAM_CLUSTER%' } },
  // The entry always has it. The agent reads it only here, so that it knows no switch of its own.
  ...(showsClients
    ? [{ tag: failureTags.client, type: { case: 'value' as const, value: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%' } }]
    : []),
];

function sending(name: string, tags: CustomTags, filterSpecifier: FilterSpecifier): AccessLog {
  const config = create(HttpGrpcAccessLogConfigSchema, {
    commonConfig: {
      logName: name,
      grpcService: { targetSpecifier: { case: 'envoyGrpc', value: { clusterName: trafficService } } },
      transportApiVersion: ApiVersion.V3,
      bufferFlushInterval: durationOf(flushMs),
      bufferSizeBytes: bufferBytes,
      customTags: tags,
    },
  });
  return {
    name,
    filter: { filterSpecifier },
    configType: { case: 'typedConfig', value: packAny(HttpGrpcAccessLogConfigSchema, config) },
  };
}
