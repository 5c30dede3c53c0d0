import { create, toBinary } from '@bufbuild/protobuf';
import { ScopedRouteConfigurationSchema, typeUrls } from '../../envoy/index.ts';
import { textOfBytes } from '../../std/memory/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import type { Batch } from './split-rejected.ts';

/**
 * Part of a rejected batch as it is sent again. Envoy 1.40 remembers the scopes of a response that come before the one that it rejects, without serving them.
 * One that comes again unchanged is passed over, and its host would keep what it had. So each goes out with other bytes each time (`count`).
 * Source: Envoy, ScopedRdsConfigSubscription::addOrUpdateScopes.
 */
export const sentAgain = ({ upserts, removed }: Batch, count: number): Batch => ({
  upserts: upserts.map((resource) => (resource.typeUrl === typeUrls.scopedRoute ? marked(resource, count) : resource)),
  removed,
});

/** The encodings of two messages, one behind the other, are that of both merged. */
function marked(scope: EnvoyResource, count: number): EnvoyResource {
  const { withoutGeo } = scope;
  const filterMetadata = { 'gatewright.sent-again': { count } };
  const mark = create(ScopedRouteConfigurationSchema, { routeConfiguration: { metadata: { filterMetadata } } });
  const body = scope.body + textOfBytes(toBinary(ScopedRouteConfigurationSchema, mark));
  return { ...scope, body, ...(withoutGeo && { withoutGeo: marked(withoutGeo, count) }) };
}
