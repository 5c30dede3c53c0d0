import { create, fromBinary } from '@bufbuild/protobuf';
import {
  HttpConnectionManagerSchema,
  ListenerSchema,
  packAny,
  ScopedRouteConfigurationSchema,
  typeUrls,
} from '../../envoy/index.ts';
import { bytesOfText } from '../../std/memory/index.ts';
import { type EnvoyResource, resourceOf, routerFilter } from '../resource/index.ts';

/** Nothing is opened where it is tried. */
const nowhere = { address: '127.0.0.1', portSpecifier: { case: 'portValue', value: 1 } } as const;

/** The routes of a scope in a listener of their own: a bootstrap has a place for that, and none for scopes. */
export function routesOnTrial({ name, body }: EnvoyResource): EnvoyResource {
  const { routeConfiguration } = fromBinary(ScopedRouteConfigurationSchema, bytesOfText(body));
  if (!routeConfiguration) throw new Error(`scope ${name} has no routes of its own`);
  const manager = create(HttpConnectionManagerSchema, {
    statPrefix: 'trial',
    routeSpecifier: { case: 'routeConfig', value: routeConfiguration },
    httpFilters: [routerFilter()],
  });
  const typedConfig = packAny(HttpConnectionManagerSchema, manager);
  const listener = create(ListenerSchema, {
    name: 'trial',
    address: { address: { case: 'socketAddress', value: nowhere } },
    filterChains: [{ filters: [{ name: 'http', configType: { case: 'typedConfig', value: typedConfig } }] }],
  });
  return resourceOf(typeUrls.listener, 'trial', ListenerSchema, listener);
}
