import { objectKey } from '../../gateway-api/index.ts';
import type { AccessHolding, GraphView } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import { type ResponseDetailCode, responseDetailOf } from '../../problems/index.ts';
import { accessTags, askedKey } from '../../traffic/index.ts';
import { routeKeyOf, ruleNames } from '../route-test/access-question.ts';
import { findRouteKind } from '../routes/route-kinds.ts';
import { findRoute } from '../routes/route-record.ts';

/** What Envoy says of the answers of each part. A part without an entry does not compile. */
const details: { readonly [P in ir.AccessPart]: readonly ResponseDetailCode[] } = {
  clientIPs: ['rbac_access_denied_matched_policy'],
  clientCertificates: ['rbac_access_denied_matched_policy'],
  csrf: ['csrf_origin_mismatch'],
  oidc: [
    'oauth.',
    'Unauthorized,_and_redirecting',
    'Failed_to_refresh_the_access_token',
    'Code_',
    'CSRF_token_validation_failed',
    'State_',
    'OAuth_server_returned_an_error',
    'Failed_to_get_access_token',
    'OAuth2_secrets_are_not_ready',
  ],
  apiKeys: ['missing_api_key', 'unknown_api_key'],
  basicAuth: [
    'no_credential_for_basic_auth',
    'invalid_scheme_for_basic_auth',
    'invalid_format_for_basic_auth',
    'invalid_credential_for_basic_auth',
    // Of the agent, for hashes that Envoy cannot check.
    'ext_authz_denied',
    'ext_authz_error',
  ],
  jwt: ['jwt_authn_access_denied'],
  get any() {
    return [...details.clientCertificates, ...details.apiKeys, ...details.basicAuth, ...details.jwt];
  },
  forwardAuth: ['ext_authz_denied', 'ext_authz_error'],
  authorization: ['rbac_access_denied_matched_policy'],
};

/** A request that was answered by its proxy. */
export interface Answered {
  readonly details: string;
  /** As in FailureReport: undefined where that is not known. */
  readonly passed?: readonly string[] | undefined;
  /** `NAMESPACE/NAME` of the Gateway. */
  readonly gateway: string;
  readonly route:
    | { readonly kind: string; readonly namespace: string; readonly name: string; readonly rule: number }
    | undefined;
}

/** Which parts in force now give such an answer: one of them denied the request. Empty: it was answered otherwise. */
export function deniedBy(
  graph: GraphView,
  { details: words, passed, gateway, route }: Answered,
): readonly AccessHolding[] {
  const code = responseDetailOf(words);
  if (code === undefined) return [];
  const fits = ({ part, state }: AccessHolding): boolean =>
    code === 'fault_filter_abort' ? state === 'closed' : state === 'inForce' && details[part].includes(code);
  const fitting = graph.accessAt({ gateway, ...placeOf(graph, route) }).filter(fits);
  return code === 'ext_authz_denied' || code === 'ext_authz_error' ? asked(fitting, passed) : fitting;
}

/** In the order in which servers are asked: the first of them that the request did not get past. None: a filter of the route asked. */
function asked(holdings: readonly AccessHolding[], passed: readonly string[] | undefined): readonly AccessHolding[] {
  const asking = holdings.filter(({ asks }) => asks);
  if (!passed) return asking;
  return asking.filter(({ level, part }) => !passed.includes(askedKey(accessTags[level], part))).slice(0, 1);
}

function placeOf(graph: GraphView, route: Answered['route']) {
  const kind = route && findRouteKind(route.kind);
  const found = route && kind && findRoute(graph, kind, objectKey(route.namespace, route.name));
  return found && route ? { route: routeKeyOf(found), rule: ruleNames(found)[route.rule] } : {};
}
