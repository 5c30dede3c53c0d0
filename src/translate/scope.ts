import { create, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  RouteConfigurationSchema,
  ScopedRouteConfiguration_KeySchema,
  typeUrls,
  VirtualHostSchema,
} from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';
import type { EnvoyResource } from './envoy-resource.ts';
import { arrived, fallingThrough, scopeHeader } from './ladder.ts';
import { exactScopeName, fallbackScopeName } from './names.ts';
import { versionOf } from './resource.ts';
import { encodeLastRoute, encodeRoute } from './route.ts';

// Field numbers of the messages that are put together from encoded parts.
const scopeName = 1;
const scopeKey = 3;
const scopeRouteConfiguration = 5;
const configurationVirtualHosts = 2;
const virtualHostRoutes = 3;

/** SRDS: one exact host of a table, its RouteConfiguration inline, so that one resource carries the whole change. */
export function translateExactScope(table: string, virtualHost: ir.VirtualHost): EnvoyResource {
  const { host, fallThrough } = virtualHost;
  const last = fallThrough
    ? encodeLastRoute('gatewright/fall-through', 404, fallingThrough(table))
    : encodeLastRoute('gatewright/not-found', 404);
  const name = exactScopeName(table, host);
  const base = toBinary(
    RouteConfigurationSchema,
    create(RouteConfigurationSchema, { name, requestHeadersToRemove: [scopeHeader], typedPerFilterConfig: arrived(table, host) }),
  );
  return scope(name, base, [encodeVirtualHost(virtualHost, ['*'], last)]);
}

/** SRDS: every other host of a table, by Envoy's own choice of the longest matching domain. */
export function translateFallbackScope(table: ir.RouteTable): EnvoyResource {
  const hosts = [...table.fallback.values()].sort((a, b) => (a.host < b.host ? -1 : 1));
  const name = fallbackScopeName(table.id);
  const base = toBinary(
    RouteConfigurationSchema,
    create(RouteConfigurationSchema, { name, requestHeadersToRemove: [scopeHeader], ignorePortInHostMatching: true }),
  );
  const virtualHosts = hosts.map((virtualHost) => {
    const last = virtualHost.misdirected
      ? encodeLastRoute('gatewright/misdirected', 421)
      : encodeLastRoute('gatewright/not-found', 404);
    return encodeVirtualHost(virtualHost, [virtualHost.host], last);
  });
  return scope(name, base, virtualHosts);
}

/** Put together from encoded routes: a host with thousands of them costs a copy, not an encoding, when one changes. */
function encodeVirtualHost({ host, routes }: ir.VirtualHost, domains: string[], last: Uint8Array): Uint8Array {
  const writer = new BinaryWriter().raw(toBinary(VirtualHostSchema, create(VirtualHostSchema, { name: host, domains })));
  for (const route of [...routes.map((entry) => encodeRoute(entry, host)), last]) {
    writer.tag(virtualHostRoutes, WireType.LengthDelimited).bytes(route);
  }
  return writer.finish();
}

function scope(name: string, configurationBase: Uint8Array, virtualHosts: readonly Uint8Array[]): EnvoyResource {
  const configuration = new BinaryWriter().raw(configurationBase);
  for (const virtualHost of virtualHosts) configuration.tag(configurationVirtualHosts, WireType.LengthDelimited).bytes(virtualHost);
  const key = create(ScopedRouteConfiguration_KeySchema, { fragments: [{ type: { case: 'stringKey', value: name } }] });
  const body = new BinaryWriter()
    .tag(scopeName, WireType.LengthDelimited)
    .string(name)
    .tag(scopeKey, WireType.LengthDelimited)
    .bytes(toBinary(ScopedRouteConfiguration_KeySchema, key))
    .tag(scopeRouteConfiguration, WireType.LengthDelimited)
    .bytes(configuration.finish())
    .finish();
  return { typeUrl: typeUrls.scopedRoute, name, version: versionOf(body), body };
}
