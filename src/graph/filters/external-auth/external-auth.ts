import * as z from 'zod';
import type * as ir from '../../../ir/index.ts';
import { maxAuthChain } from '../../../ir/index.ts';
import type { BackendRefSpec, ConditionFault, FilterSpec, ResolvedBackend } from '../../model/index.ts';
import type { FilterModule, FilterReference } from '../filter-module.ts';

/** A filter that asks another server about each request, of a route or of a listener. Source: HTTPExternalAuthFilter, GEP-1494. */
export type AuthSpec = NonNullable<FilterSpec['externalAuth']>;

export const externalAuth: FilterModule = {
  key: 'externalAuth',
  valueFault: ({ externalAuth: spec }) => spec && authFault(spec),
  references: ({ externalAuth: spec }) => (spec ? [authReference(spec)] : []),
  resolve({ externalAuth: spec }, { earlier: { filters }, namespace, targets: [target] }) {
    if (!spec || !target) return {};
    const auths = [...(filters?.externalAuth ?? []), authOf(spec, target, namespace)];
    const fault = tooManyAuths(auths.length);
    return {
      filters: { externalAuth: auths.slice(0, maxAuthChain) },
      ...('fault' in target && { denied: true }),
      ...(fault && { fault }),
    };
  },
  backendsOf: ({ externalAuth: auths }) => authBackends(auths),
  effect: {
    schema: z.array(z.string().nullable()),
    show: ({ externalAuth: auths }) => auths?.map(({ backend }) => backend ?? null),
  },
};

/** Keys of the backends that are asked. */
const authBackends = (auths: readonly ir.ExternalAuth[] = []): readonly string[] =>
  auths.flatMap(({ backend }) => backend ?? []);

export const authReference = ({ backendRef, protocol }: AuthSpec): FilterReference => ({
  backendRef,
  http2: protocol === 'GRPC',
});

/** The largest size of a body that Envoy can express. */
const maxBodyLimit = 4_294_967_295;

/** Without a backend where the reference leads nowhere: then no request may pass. `namespace` is that of the filter's owner. */
export function authOf(
  { backendRef, protocol, forwardBody, grpc, http }: AuthSpec,
  target: ResolvedBackend,
  namespace: string,
): ir.ExternalAuth {
  const isGrpc = protocol === 'GRPC';
  const prefix = pathPrefix(http?.path);
  const maxBody = Math.min(forwardBody?.maxSize ?? 0, maxBodyLimit);
  return {
    ...('key' in target && { backend: target.key }),
    protocol: isGrpc ? 'grpc' : 'http',
    authority: ('key' in target && target.host) || hostOf(backendRef, namespace),
    requestHeaders: headerNames(isGrpc ? grpc?.allowedHeaders : http?.allowedHeaders),
    responseHeaders: headerNames(http?.allowedResponseHeaders),
    ...(prefix && { pathPrefix: prefix }),
    ...(maxBody > 0 && { maxBodyBytes: maxBody }),
  };
}

const hostOf = ({ name, namespace }: Pick<BackendRefSpec, 'name' | 'namespace'>, own: string): string =>
  `${name}.${namespace ?? own}`;

/** More filters in one list than a proxy can chain: no request passes, since none of them may be left out. */
export function tooManyAuths(count: number): ConditionFault | undefined {
  if (count <= maxAuthChain) return undefined;
  const message = `${count} ExternalAuth filters in one list, and at most ${maxAuthChain} can be asked in a row: let one server ask the others`;
  return { reason: 'UnsupportedValue', message };
}

/** What is wrong with a filter, wherever its reference leads. */
export function authFault({ http }: AuthSpec): string | undefined {
  const segments = (http?.path ?? '').split('/').map((segment) => segment.replace(/%2e/gi, '.'));
  if (!segments.some((segment) => segment === '.' || segment === '..')) return undefined;
  return `externalAuth.http.path ${http?.path} leads out of itself by a segment . or ..: write the path without`;
}

const headerNames = (names: readonly string[] = []): string[] => [
  ...new Set(names.map((name) => name.toLowerCase()).sort()),
];

/** The client's path begins with a slash, which would be doubled by one at the end. */
function pathPrefix(path = ''): string {
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  return trimmed && `/${trimmed}`;
}
