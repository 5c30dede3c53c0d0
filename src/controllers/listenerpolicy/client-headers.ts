import type { ObjectByKind } from '../../gateway-api/index.ts';
import { headerEdit } from '../../graph/filters/index.ts';
import { type ConditionFault, defined } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';

type Spec = ObjectByKind['ListenerPolicy']['spec'];
type Headers = NonNullable<Spec['headers']>;

/** What a policy says of headers, and what is wrong with it. */
export interface ClientHeaders {
  readonly settings: Pick<
    ir.ClientSettings,
    'requestHeaders' | 'responseHeaders' | 'forwarded' | 'requestId' | 'envoyHeaders'
  >;
  readonly faults: readonly ConditionFault[];
  /** Requests must not come in with the headers that clients wrote. */
  readonly isClosed: boolean;
}

export function clientHeaders({ headers = {}, clientIP }: Pick<Spec, 'headers' | 'clientIP'>): ClientHeaders {
  const request = headers.request && earlyEdit(headers.request, clientIP?.header);
  const response = headers.response && headerEdit(headers.response, 'response');
  const [requestFault, responseFault] = [faultOf(request), faultOf(response)];
  return {
    settings: defined<ClientHeaders['settings']>({
      requestHeaders: request && !('fault' in request) ? request : undefined,
      responseHeaders: response && !('fault' in response) ? response : undefined,
      forwarded: headers.forwarded && forwardedOf(headers.forwarded),
      requestId: headers.requestID && requestIdOf(headers.requestID),
      envoyHeaders: headers.envoyHeaders || undefined,
    }),
    faults: [
      ...(requestFault === undefined
        ? []
        : [invalid(`headers.request: ${requestFault}; until then its HTTP and HTTPS listeners end all connections`)]),
      ...(responseFault === undefined
        ? []
        : [invalid(`headers.response: ${responseFault}; until then answers are sent without these changes`)]),
    ],
    isClosed: requestFault !== undefined,
  };
}

type Edit = ReturnType<typeof headerEdit>;

const faultOf = (edit: Edit | undefined): string | undefined => (edit && 'fault' in edit ? edit.fault : undefined);

const invalid = (message: string): ConditionFault => ({ reason: 'Invalid', message });

/** Nothing is known of a request yet but its headers, and the client's address is still to be found by some of them. */
function earlyEdit(spec: NonNullable<Headers['request']>, addressHeader: string | undefined): Edit {
  const edit = headerEdit(spec, 'request');
  if ('fault' in edit) return edit;
  const written = [...edit.set, ...edit.add, ...edit.ifAbsent];
  const reserved = ['x-forwarded-for', ...(addressHeader === undefined ? [] : [addressHeader.toLowerCase()])];
  const names = [...written.map(({ name }) => name), ...edit.remove];
  const kept = names.find((name) => reserved.includes(name) || name.startsWith(envoyPrefix));
  if (kept !== undefined) return { fault: `header ${kept} is for the proxy itself: use clientIP or headers.forwarded` };
  const wide = edit.removePrefixes.find((prefix) =>
    [...reserved, envoyPrefix].some((name) => name.startsWith(prefix) || prefix.startsWith(envoyPrefix)),
  );
  if (wide !== undefined)
    return { fault: `prefix ${wide}: headers of the proxy itself begin so too; write a longer one` };
  const late = written.find(({ value }) => value.some((part) => typeof part !== 'string' && part.kind === 'variable'));
  return late
    ? { fault: `header ${late.name}: before routes are looked for a value can have %REQ(NAME)% alone` }
    : edit;
}

/** What begins so instructs Envoy. */
const envoyPrefix = 'x-envoy-';

const forwardedOf = ({ forwardedFor, add = [] }: NonNullable<Headers['forwarded']>): ir.ForwardedHeaders => ({
  ...(forwardedFor && forwardedFor !== 'Append' && { forwardedFor }),
  add: [...add],
});

const requestIdOf = ({ mode, inResponse }: NonNullable<Headers['requestID']>): ir.RequestIds => ({
  ...(mode && mode !== 'Generate' && { mode }),
  ...(inResponse && { inResponse }),
});
