import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agentService, aiHeaders, aiLogs, budgetDescriptor } from '../../contracts/index.ts';
import {
  ApiVersion,
  HeaderValueOption_HeaderAppendAction as Append,
  FractionalPercent_DenominatorType as Denominator,
  EarlyHeaderMutationSchema,
  type HeaderMatcherSchema,
  type HeaderMutationSchema,
  packAny,
  RateLimitFilterSchema,
  type RetryPolicySchema,
  TransformConfigSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import type { EnvoyRoute } from '../inner/index.ts';
import {
  aiListenerName,
  aiRouteListenerName,
  aiStepsName,
  durationOf,
  type EnvoyResource,
  type HttpFilter,
  httpFilter,
  nextPriority,
  withoutOwnHeaders,
} from '../resource/index.ts';
import { anyPath, errorAnswer, jsonAnswer, reportedListener } from './parts.ts';

type Mutation = MessageInitShape<typeof HeaderMutationSchema>;

/** How long to wait for the budget service; after that requests pass. */
const budgetTimeoutMs = 2000;

/** What chooses the service for each request of a rule, by the model in its body. */
export const routeListener = (key: string, route: ir.AiRoute): EnvoyResource =>
  reportedListener({
    name: aiRouteListenerName(key, route),
    stats: aiListenerName(key),
    log: aiLogs.request,
    subject: route.source,
    early: [early(route)],
    filters: [readModel(), ...(route.budgetHeaders ? [budgetFilter()] : [])],
    routes: [listModels(route), ...route.choices.flatMap((choice) => choiceRoutes(key, route, choice)), noModel()],
  });

const set = (key: string, value: string): Mutation => ({
  action: {
    case: 'append',
    value: { header: { key, value }, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD },
  },
});

/** Before anything else: what a client says in our name counts for nothing. */
function early({ source }: ir.AiRoute) {
  const mutations: Mutation[] = [
    withoutOwnHeaders,
    set(aiHeaders.id, '%UNIQUE_ID%'),
    set(aiHeaders.route, source.replaceAll('%', '%%')),
  ];
  return {
    name: 'gatewright.ai.early',
    typedConfig: packAny(EarlyHeaderMutationSchema, create(EarlyHeaderMutationSchema, { mutations })),
  };
}

/** Takes from the body what routes are chosen by. */
function readModel(): HttpFilter {
  const config = create(TransformConfigSchema, {
    requestTransformation: {
      headersMutations: [
        set(aiHeaders.model, '%REQUEST_BODY(model)%'),
        set(aiHeaders.stream, '%REQUEST_BODY(stream)%'),
      ],
    },
    clearRouteCache: true,
  });
  return httpFilter('gatewright.ai.read', packAny(TransformConfigSchema, config));
}

/** Asks the budget service. Without an answer requests pass: late counts are better than a gateway without answers. */
function budgetFilter(): HttpFilter {
  const config = create(RateLimitFilterSchema, {
    domain: budgetDescriptor.domain,
    timeout: durationOf(budgetTimeoutMs),
    rateLimitService: {
      grpcService: {
        targetSpecifier: { case: 'envoyGrpc', value: { clusterName: agentService } },
        timeout: durationOf(budgetTimeoutMs),
      },
      transportApiVersion: ApiVersion.V3,
    },
    disableXEnvoyRatelimitedHeader: true,
  });
  return httpFilter('gatewright.ai.budgets', packAny(RateLimitFilterSchema, config));
}

const listModels = ({ listing }: ir.AiRoute): EnvoyRoute => ({
  name: 'models',
  match: { pathSpecifier: { case: 'path', value: '/v1/models' }, headers: [headerIs(':method', 'GET')] },
  ...jsonAnswer(200, {
    object: 'list',
    data: listing.map(({ id, ownedBy }) => ({ id, object: 'model', created: 0, owned_by: ownedBy })),
  }),
});

export const headerIs = (name: string, value: string): MessageInitShape<typeof HeaderMatcherSchema> => ({
  name,
  headerMatchSpecifier: { case: 'stringMatch', value: { matchPattern: { case: 'exact', value } } },
});

export const modelIs = ({
  name,
  match,
}: Pick<ir.AiModel, 'name' | 'match'>): MessageInitShape<typeof HeaderMatcherSchema> => ({
  name: aiHeaders.model,
  headerMatchSpecifier: { case: 'stringMatch', value: { matchPattern: { case: match, value: name } } },
});

/** One for each share, the first that takes the request. */
function choiceRoutes(key: string, route: ir.AiRoute, { model, shares }: ir.AiChoice): EnvoyRoute[] {
  const name = `model ${model.name}${model.match === 'prefix' ? '*' : ''}`;
  const match = { ...anyPath, headers: [modelIs(model)] };
  if (shares.length === 0) {
    const message = `no service that has ${model.name} can be asked now: see the conditions of its AIServices`;
    return [{ name, match, ...errorAnswer(503, 'server_error', 'service_unavailable', message) }];
  }
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  let until = 0;
  return shares.map((share, index) => {
    until += share.weight;
    const isLast = index === shares.length - 1;
    return {
      name,
      match: { ...match, ...(!isLast && fraction(until / total)) },
      action: shareAction(key, route, share),
    };
  });
}

/** Envoy draws one number for a request and holds it against each route in turn, so what is taken is all below a bound. */
const fraction = (below: number) => ({
  runtimeFraction: { defaultValue: { numerator: Math.round(below * 1_000_000), denominator: Denominator.MILLION } },
});

const shareAction = (key: string, route: ir.AiRoute, { steps, firstTokenMs }: ir.AiShare) => ({
  case: 'route' as const,
  value: {
    clusterSpecifier: {
      case: 'cluster' as const,
      value: aiStepsName(key, steps),
    },
    timeout: durationOf(0),
    retryPolicy: fallback(steps.length, firstTokenMs),
    ...(route.budgetHeaders && { rateLimits: [{ actions: budgetActions(route, steps) }] }),
  },
});

/** An answer that has begun is the client's; until then the next service is asked. */
const fallback = (steps: number, firstTokenMs: number): MessageInitShape<typeof RetryPolicySchema> => ({
  perTryTimeout: durationOf(firstTokenMs),
  numRetries: steps - 1,
  ...(steps > 1 && {
    retryOn: '5xx,reset,connect-failure,refused-stream,retriable-status-codes',
    retriableStatusCodes: [429],
    retryBackOff: { baseInterval: durationOf(1), maxInterval: durationOf(1) },
    ...nextPriority(1),
  }),
});

const budgetActions = ({ source, budgetHeaders = [] }: ir.AiRoute, steps: readonly ir.AiStep[]) => [
  generic(budgetDescriptor.route, source),
  generic(budgetDescriptor.service, steps[0]?.service ?? ''),
  header(aiHeaders.model, budgetDescriptor.model),
  header(aiHeaders.id, budgetDescriptor.id),
  ...budgetHeaders.map((name) => header(name, `${budgetDescriptor.header}${name}`)),
];

const generic = (descriptorKey: string, descriptorValue: string) => ({
  actionSpecifier: { case: 'genericKey' as const, value: { descriptorKey, descriptorValue } },
});

const header = (headerName: string, descriptorKey: string) => ({
  actionSpecifier: { case: 'requestHeaders' as const, value: { headerName, descriptorKey, skipIfAbsent: true } },
});

const noModel = (): EnvoyRoute => ({
  name: 'model-not-found',
  match: anyPath,
  ...errorAnswer(
    404,
    'invalid_request_error',
    'model_not_found',
    'the model that the request names does not exist here, or it names none: GET /v1/models lists those that do',
  ),
});
