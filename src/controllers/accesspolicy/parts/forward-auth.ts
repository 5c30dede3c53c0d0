import { resolveBackend } from '../../../graph/backends/index.ts';
import { headerEdit } from '../../../graph/filters/index.ts';
import type * as ir from '../../../ir/index.ts';
import { parseDurationMs } from '../../../std/index.ts';
import { cidrFaults, cidrsOf } from '../../policies/index.ts';
import { headerFaults, headerNames, writtenHeaderFault } from './header-names.ts';
import { invalid, namespaceOf, type PartDeps, type ResolvedPart, type Spec } from './part.ts';
import { hasDotSegments } from './path-segments.ts';

type ForwardAuthSpec = NonNullable<Spec['forwardAuth']>;

const defaultTimeoutMs = 10_000;
/** Not 403, by which a server that does not answer would look like one that denies. */
const defaultStatus = 503;
/** Statuses from 400 on that Envoy has a name for (`envoy.type.v3.StatusCode`); others it rejects, with all of the route. */
const knownStatuses = [
  { from: 400, to: 417 },
  { from: 421, to: 424 },
  ...[426, 428, 429, 431].map((status) => ({ from: status, to: status })),
  { from: 500, to: 508 },
  { from: 510, to: 511 },
];
/** As oauth2-proxy and Authelia have it. */
const defaultReturnParam = 'rd';
/** A URL or a path, not the host of another by two slashes; nothing that a header or a query could not carry. */
const signInUrl =
  /^(https?:\/\/[-A-Za-z0-9.:[\]]+([/?][-A-Za-z0-9._~!$&'()*+,;=:@%/?]*)?|\/([-A-Za-z0-9._~!$&'()*+,;=:@%?][-A-Za-z0-9._~!$&'()*+,;=:@%/?]*)?)$/;

export function resolveForwardAuth(spec: ForwardAuthSpec, deps: PartDeps): ResolvedPart<ir.ForwardAuth> {
  const { policy, store, clientCertificate } = deps;
  const { name, namespace, port, group, kind } = spec.backendRef;
  const asked = askedAs(spec);
  const variant = {
    ...(spec.grpc && { http2: true }),
    ...(asked && { asked }),
    ...(clientCertificate && { clientCertificate }),
  };
  const user = { group: 'gatewright.dev', kind: 'AccessPolicy', namespace: namespaceOf(policy), variant };
  const ref = { name, port, group, kind, ...(namespace !== undefined && { namespace }) };
  const target = resolveBackend(ref, user, store);
  const faults = faultsOf(spec).map(invalid);
  if ('fault' in target) return { faults, referenceFaults: [target.fault] };
  if (faults.length > 0) return { faults };
  const authority = target.host ?? `${name}.${namespace ?? user.namespace}`;
  return { value: forwardAuthOf(spec, target.key, authority), backends: [target.key] };
}

/** Where Envoy asks by itself as the policy wants, there is nothing to say. */
function askedAs({ http, grpc, backendRef }: ForwardAuthSpec): ir.AskedAs | undefined {
  const asked: ir.AskedAs = {
    ...(http?.method && { method: http.method }),
    ...(http?.allowWith === 'Successful' && { successful: true }),
    ...(!grpc && backendRef.kind === 'XBackend' && { ownHost: true }),
  };
  return Object.keys(asked).length > 0 ? asked : undefined;
}

/** Undefined: there are none. */
const setHeadersOf = (http: ForwardAuthSpec['http']) => {
  if (!http?.setHeaders) return undefined;
  const edit = headerEdit({ set: http.setHeaders }, 'request');
  return 'fault' in edit ? undefined : edit.set;
};

function forwardAuthOf(spec: ForwardAuthSpec, backend: string, authority: string): ir.ForwardAuth {
  const { http, grpc, failOpen = false, statusOnError = defaultStatus, timeout, body, signIn, exceptClientIPs } = spec;
  const setHeaders = setHeadersOf(http);
  return {
    backend,
    protocol: grpc ? 'grpc' : 'http',
    authority,
    requestHeaders: headerNames((grpc ?? http)?.requestHeaders),
    responseHeaders: headerNames(http?.toBackend),
    ...(body && { maxBodyBytes: body.maxBytes }),
    ...(http?.path !== undefined && { path: http.path }),
    ...(setHeaders && { setHeaders }),
    ...(exceptClientIPs && { exceptClientIPs: cidrsOf(exceptClientIPs) }),
    toClient: headerNames(http?.toClient),
    timeoutMs: parseDurationMs(timeout ?? '') ?? defaultTimeoutMs,
    failOpen,
    statusOnError,
    ...(signIn && { signIn: { url: signIn.url, returnParam: signIn.returnParam ?? defaultReturnParam } }),
  };
}

const isKnown = (status: number): boolean => knownStatuses.some(({ from, to }) => status >= from && status <= to);

function faultsOf({ http, grpc, signIn, exceptClientIPs, statusOnError }: ForwardAuthSpec): string[] {
  const written = (field: string, names: readonly string[] = []) =>
    names.flatMap((name, index) => writtenHeaderFault(`${field}[${index}]`, name));
  return [
    ...(http && grpc ? ['forwardAuth: set http or grpc, not both'] : []),
    ...(statusOnError !== undefined && !isKnown(statusOnError)
      ? [`forwardAuth.statusOnError ${statusOnError} is unknown to proxies: use one such as 403, 500 or 503`]
      : []),
    ...cidrFaults('forwardAuth.exceptClientIPs', exceptClientIPs),
    ...setHeadersFaults(http?.setHeaders),
    ...(hasDotSegments((http?.path ?? '').replace(/\?.*$/s, ''))
      ? ['forwardAuth.http.path has a segment . or ..: write the path without']
      : []),
    ...(signIn && !signInUrl.test(signIn.url)
      ? ['forwardAuth.signIn.url is no URL with http or https, nor a path: write it without a fragment and spaces']
      : []),
    ...headerFaults('forwardAuth.http.requestHeaders', http?.requestHeaders),
    ...headerFaults('forwardAuth.grpc.requestHeaders', grpc?.requestHeaders),
    ...written('forwardAuth.http.toBackend', http?.toBackend),
    ...written('forwardAuth.http.toClient', http?.toClient),
  ];
}

function setHeadersFaults(headers: NonNullable<ForwardAuthSpec['http']>['setHeaders'] = []): string[] {
  const field = 'forwardAuth.http.setHeaders';
  const names = headers.flatMap(({ name }, index) => writtenHeaderFault(`${field}[${index}].name`, name));
  const edit = headerEdit({ set: headers }, 'request');
  return names.length > 0 ? names : 'fault' in edit ? [`${field}: ${edit.fault}`] : [];
}
