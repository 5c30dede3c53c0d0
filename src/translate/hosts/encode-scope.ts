import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { RouteConfigurationSchema, typeUrls, VirtualHostSchema } from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import { hostAuth } from '../filters/index.ts';
import { type EnvoyResource, encodedResource } from '../resource/index.ts';
import { defaultRetries, encodeRoute } from '../routes/index.ts';
import { scopeHeader } from './fallthrough.ts';

/*
 * A scope is put together from encoded parts: a host with thousands of routes costs a copy, not an encoding, when one changes. Scopes of a table mostly differ
 * in names and routes alone, so what comes behind a name is encoded once for all of them. To encode it for each took a quarter of the time of a new host.
 */

// Field numbers of envoy.config.route.v3, of ScopedRouteConfiguration, its Key and Fragment, RouteConfiguration and VirtualHost.
const scopeName = 1;
const scopeKey = 3;
const scopeRouteConfiguration = 5;
const keyFragments = 1;
const fragmentStringKey = 1;
const configurationName = 1;
const configurationVirtualHosts = 2;
const virtualHostName = 1;
const virtualHostDomains = 2;
const virtualHostRoutes = 3;

const { LengthDelimited } = WireType;

/** Routes inside a scope are checked by default, as they are in a bootstrap: one share that leads nowhere would cost the whole host. */
const validateClusters = false;

/** What a RouteConfiguration has behind its name, apart from virtual hosts. */
export const encodeConfiguration = (more: MessageInitShape<typeof RouteConfigurationSchema> = {}): Uint8Array =>
  toBinary(
    RouteConfigurationSchema,
    create(RouteConfigurationSchema, { validateClusters, requestHeadersToRemove: [scopeHeader], ...more }),
  );

export interface HostOfScope {
  readonly virtualHost: ir.VirtualHost;
  readonly domains: readonly string[];
  /** Encoded routes that come behind its own. */
  readonly last?: readonly Uint8Array[] | undefined;
}

/** A ScopedRouteConfiguration with its RouteConfiguration inline; `configuration` from `encodeConfiguration`. */
export function encodeScope(
  name: string,
  key: string,
  configuration: Uint8Array,
  hosts: readonly HostOfScope[],
): EnvoyResource {
  const writer = new BinaryWriter().tag(scopeName, LengthDelimited).string(name);
  writer.tag(scopeKey, LengthDelimited).fork().tag(keyFragments, LengthDelimited).fork();
  writer.tag(fragmentStringKey, LengthDelimited).string(key).join().join();
  writer.tag(scopeRouteConfiguration, LengthDelimited).fork();
  writer.tag(configurationName, LengthDelimited).string(name).raw(configuration);
  for (const host of hosts) {
    writer.tag(configurationVirtualHosts, LengthDelimited).fork();
    writeHost(writer, host);
    writer.join();
  }
  return encodedResource(typeUrls.scopedRoute, name, writer.join().finish());
}

function writeHost(writer: BinaryWriter, { virtualHost, domains, last = [] }: HostOfScope): void {
  writer.tag(virtualHostName, LengthDelimited).string(ir.virtualHostName(virtualHost));
  for (const domain of domains) writer.tag(virtualHostDomains, LengthDelimited).string(domain);
  writer.raw(encodeHostSettings(virtualHost));
  for (const route of virtualHost.routes) {
    for (const bytes of encodeRoute(route, virtualHost)) writer.tag(virtualHostRoutes, LengthDelimited).bytes(bytes);
  }
  for (const bytes of last) writer.tag(virtualHostRoutes, LengthDelimited).bytes(bytes);
}

/** What a virtual host has behind its domains, apart from routes. */
export const encodeHostSettings = ({ routes, preRoutingAuth }: ir.VirtualHost): Uint8Array =>
  preRoutingAuth || routes.length === 0 ? encodeSettings(routes.length > 0, preRoutingAuth) : usualSettings;

const encodeSettings = (hasRoutes: boolean, preRoutingAuth?: ir.VirtualHost['preRoutingAuth']): Uint8Array =>
  toBinary(
    VirtualHostSchema,
    create(VirtualHostSchema, {
      typedPerFilterConfig: hostAuth(preRoutingAuth),
      ...(hasRoutes && { retryPolicy: defaultRetries }),
    }),
  );

const usualSettings = encodeSettings(true);
