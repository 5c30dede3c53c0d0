import { create, toBinary } from '@bufbuild/protobuf';
import { DirectResponseActionSchema, RouteSchema } from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import { takesGrpcWeb } from '../filters/index.ts';
import { translateMatch } from './route-match.ts';

const webSocket = 'websocket';

/** For a RouteAction. Envoy asks for them where its first look finds the route; elsewhere it lets every protocol pass. */
export function upgradeConfigs(route: ir.Route) {
  // Without `connect_config` the method itself would be sent to the backend, with the client's words.
  if (ir.opensTunnel(route)) return { upgradeConfigs: [{ upgradeType: 'CONNECT', connectConfig: {} }] };
  const { protocols } = route.rule.upgrades ?? {};
  if (!protocols) return {};
  const closed = protocols.includes(webSocket) ? [] : [{ upgradeType: webSocket, enabled: false }];
  return { upgradeConfigs: [...protocols.map((upgradeType) => ({ upgradeType, enabled: true })), ...closed] };
}

/**
 * Goes before a route whose rule names the protocols that clients may change to, and answers all who ask for another one: that holds too where the
 * route is found late. By then Envoy has removed the header from requests that ask for no change.
 */
export function rejectedUpgrades({ id, match, rule }: ir.Route): readonly Uint8Array[] {
  const { protocols } = rule.upgrades ?? {};
  if (!protocols || rule.action.kind !== 'forward') return [];
  const route = create(RouteSchema, {
    name: id,
    match: translateMatch(match, { takesGrpcWeb: takesGrpcWeb(rule.filters), upgradesBut: protocols }),
    action: { case: 'directResponse', value: create(DirectResponseActionSchema, { status: 403 }) },
  });
  return [toBinary(RouteSchema, route)];
}
