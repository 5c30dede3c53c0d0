import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type AccessLogFilterSchema,
  ComparisonFilter_Op,
  FractionalPercent_DenominatorType as Denominator,
  HTTPFaultSchema,
  type LocalReplyConfigSchema,
  packAny,
  type TypedExtensionConfigSchema,
} from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';

const badRequest = 400;

/**
 * Rejects requests whose Host is not that of one host. Stands in the fallthrough alone: names of exact scopes are good ones, so a
 * request that finds its route at once has no bad Host, and pays nothing.
 */
export const hostCheck: MessageInitShape<typeof TypedExtensionConfigSchema> = {
  name: 'host',
  typedConfig: packAny(
    HTTPFaultSchema,
    create(HTTPFaultSchema, {
      abort: {
        errorType: { case: 'httpStatus', value: badRequest },
        percentage: { numerator: 100, denominator: Denominator.HUNDRED },
      },
      headers: [
        {
          name: ':authority',
          headerMatchSpecifier: {
            case: 'stringMatch',
            value: { matchPattern: { case: 'safeRegex', value: { regex: ir.hostForm } } },
          },
          invertMatch: true,
          treatMissingHeaderAsEmpty: true,
        },
      ],
    }),
  ),
};

const isFault: MessageInitShape<typeof AccessLogFilterSchema> = {
  filterSpecifier: { case: 'responseFlagFilter', value: { flags: ['FI'] } },
};

/** Parts of policies that are closed answer 500 and 503 by the same filter. */
const isBadRequest: MessageInitShape<typeof AccessLogFilterSchema> = {
  filterSpecifier: {
    case: 'statusCodeFilter',
    value: {
      comparison: { op: ComparisonFilter_Op.EQ, value: { defaultValue: badRequest, runtimeKey: 'gatewright.host' } },
    },
  },
};

/** Says so: Envoy's own words are of injected faults, and there are none. */
export const hostCheckReply: MessageInitShape<typeof LocalReplyConfigSchema> = {
  mappers: [
    {
      filter: { filterSpecifier: { case: 'andFilter', value: { filters: [isFault, isBadRequest] } } },
      body: {
        specifier: { case: 'inlineString', value: 'Bad Request: Host is not the name or the address of one host\n' },
      },
    },
  ],
};
