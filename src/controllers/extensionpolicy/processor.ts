import { resolveBackend } from '../../graph/backends/index.ts';
import type { Store } from '../../graph/engine/index.ts';
import type { ResolvedBackend } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import type { Policy } from './policy.ts';

type ExtProc = NonNullable<Policy['spec']['extProc']>;
type HalfSpec = Omit<NonNullable<ExtProc['request']>, 'attributes'> & { readonly attributes?: readonly string[] };

const defaultTimeoutMs = 1_000;
/** Not 500, by which the processor would look like a backend that fails. */
const defaultStatus = 503;

const bodies = { Streamed: 'streamed', Buffered: 'buffered', BufferedPartial: 'bufferedPartial' } as const;

/** `clientCertificate`: key of the ir.Secret that the Gateway's proxies show to backends. */
export function processorTarget(
  { metadata }: Policy,
  extProc: ExtProc,
  clientCertificate: string | undefined,
  store: Store,
): ResolvedBackend {
  const { name, namespace, port } = extProc.backendRef;
  const variant = { http2: true, ...(clientCertificate && { clientCertificate }) };
  const user = { group: 'gatewright.dev', kind: 'ExtensionPolicy', namespace: metadata.namespace ?? '', variant };
  return resolveBackend({ name, port, ...(namespace !== undefined && { namespace }) }, user, store);
}

/** `backend`: where its calls go; `host`: how the backend itself is called, if it says so. */
export function processorOf(
  { metadata, spec }: Policy,
  extProc: ExtProc,
  { backend, host }: { readonly backend: string; readonly host: string | undefined },
): ir.Processor {
  const { backendRef, request, response, headers = [], metadata: namespaces = [], timeout, shadow } = extProc;
  return {
    kind: 'processor',
    backend,
    authority: host ?? `${backendRef.name}.${backendRef.namespace ?? metadata.namespace ?? ''}`,
    request: halfOf(request),
    response: halfOf(response),
    headers: headers.map((name) => name.toLowerCase()),
    metadata: [...namespaces],
    timeoutMs: parseDurationMs(timeout ?? '') ?? defaultTimeoutMs,
    statusOnError: extProc.statusOnError ?? defaultStatus,
    ...(spec.onFailure === 'Allow' && { failOpen: true }),
    ...(shadow && { shadow: true }),
  };
}

const halfOf = ({ headers, body, trailers, attributes = [] }: HalfSpec = {}): ir.ProcessedHalf => ({
  headers: headers !== 'Skip',
  ...(body && body !== 'None' && { body: bodies[body] }),
  trailers: trailers === 'Send',
  attributes: [...attributes],
});
