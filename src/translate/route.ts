import { create, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { RouteSchema } from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';
import { translateHeaderChanges } from './header-changes.ts';
import { compilesHeadersIntoShares, translateAction } from './route-action.ts';
import { translateMatch } from './route-match.ts';

// One route stands on many hosts, and a host is made anew when any of its routes changes.
const encoded = new WeakMap<ir.Route, Map<string, Uint8Array>>();

/** The encoded envoy.config.route.v3.Route. Only a redirect reads differently on different hosts. */
export function encodeRoute(route: ir.Route, host: string): Uint8Array {
  const variant = route.rule.action.kind === 'redirect' ? host : '';
  const variants = encoded.get(route) ?? new Map<string, Uint8Array>();
  encoded.set(route, variants);
  const known = variants.get(variant);
  if (known) return known;
  const bytes = toBinary(RouteSchema, translateRoute(route, host));
  variants.set(variant, bytes);
  return bytes;
}

function translateRoute({ id, match, rule }: ir.Route, host: string) {
  const headers = compilesHeadersIntoShares(rule) ? {} : translateHeaderChanges([rule.requestHeaders], [rule.responseHeaders]);
  return create(RouteSchema, { name: id, match: translateMatch(match), action: translateAction(rule, host), ...headers });
}

/** A route for whatever no other route took, answered by Envoy itself. */
export function encodeLastRoute(name: string, status: number, typedPerFilterConfig: Record<string, Any> = {}): Uint8Array {
  const route = create(RouteSchema, {
    name,
    match: { pathSpecifier: { case: 'prefix', value: '/' } },
    action: { case: 'directResponse', value: { status } },
    typedPerFilterConfig,
  });
  return toBinary(RouteSchema, route);
}
