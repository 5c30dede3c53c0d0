import type * as ir from '../../../ir/index.ts';
import { maxAuthsInRow } from '../../../ir/index.ts';
import { resolveBackend } from '../../backends/backend-ref.ts';
import type { Store } from '../../engine/store.ts';
import type { BackendUser } from '../../model/backend-reference.ts';
import type { Fault } from '../../model/condition.ts';
import type { FilterSpec } from '../filter.ts';

/** A filter that asks somebody else, of a route or of a listener. Source: HTTPExternalAuthFilter, GEP-1494. */
export type AuthFilter = NonNullable<FilterSpec['externalAuth']>;

/** Who is to be asked; with a fault when the reference leads nowhere: then nobody may pass. */
export interface SettledAuth {
  readonly auth: ir.ExternalAuth;
  readonly fault?: Fault;
}

/** The largest size of a body that Envoy can be told. */
const maxBodyLimit = 4_294_967_295;

/** Follows the filter's reference. `user` is the route or Gateway that has the filter. */
export function settleAuth(filter: AuthFilter, user: BackendUser, store: Store): SettledAuth {
  const { backendRef, protocol, forwardBody, grpc, http } = filter;
  const isGrpc = protocol === 'GRPC';
  const found = resolveBackend(backendRef, { ...user, variant: { ...user.variant, http2: isGrpc } }, store);
  const prefix = pathPrefix(http?.path);
  const maxBody = Math.min(forwardBody?.maxSize ?? 0, maxBodyLimit);
  return {
    auth: {
      ...('key' in found && { backend: found.key }),
      protocol: isGrpc ? 'grpc' : 'http',
      authority: ('key' in found && found.host) || `${backendRef.name}.${backendRef.namespace ?? user.namespace}`,
      requestHeaders: headerNames(isGrpc ? grpc?.allowedHeaders : http?.allowedHeaders),
      responseHeaders: headerNames(http?.allowedResponseHeaders),
      ...(prefix && { pathPrefix: prefix }),
      ...(maxBody > 0 && { maxBodyBytes: maxBody }),
    },
    ...('fault' in found && { fault: found.fault }),
  };
}

/** More of them in one list than a proxy can be told of: nobody passes, for none may be left out. */
export function tooManyAuths(auths: readonly AuthFilter[]): Fault | undefined {
  if (auths.length <= maxAuthsInRow) return undefined;
  const message = `${auths.length} ExternalAuth filters in one list, and at most ${maxAuthsInRow} can be asked in a row: let one server ask the others`;
  return { reason: 'UnsupportedValue', message };
}

/** What of a filter cannot be had, whatever its reference leads to. */
export function authFault({ http }: AuthFilter): Fault | undefined {
  const segments = (http?.path ?? '').split('/').map((segment) => segment.replace(/%2e/gi, '.'));
  if (!segments.some((segment) => segment === '.' || segment === '..')) return undefined;
  const message = `externalAuth.http.path ${http?.path} leads out of itself by a segment . or ..: write the path without`;
  return { reason: 'UnsupportedValue', message };
}

const headerNames = (names: readonly string[] = []): string[] => [
  ...new Set(names.map((name) => name.toLowerCase()).sort()),
];

/** The client's path begins with a slash; one at the end would be doubled by it. */
function pathPrefix(path = ''): string {
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  return trimmed && `/${trimmed}`;
}
