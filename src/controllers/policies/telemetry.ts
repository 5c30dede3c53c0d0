import { kinds, type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { resolveBackend } from '../../graph/backends/index.ts';
import type { Edge, EdgeIndexes, Marking, Store } from '../../graph/engine/index.ts';
import { type ConditionFault, compareAge, type ListenerOwner } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';

export type TelemetryPolicy = ObjectByKind['XTelemetryPolicy'];
type TracingSpec = NonNullable<TelemetryPolicy['spec']['tracing']>;
type AttributeSpec = NonNullable<TracingSpec['attributes']>[number];

/** Keys of the Gateways that a policy names. */
export const gatewaysOfTelemetry = ({ metadata, spec }: TelemetryPolicy): readonly string[] => [
  ...new Set(
    spec.targetRefs
      .filter(({ group, kind }) => group === kinds.Gateway.group && kind === kinds.Gateway.name)
      .map(({ name }) => objectKey(metadata.namespace, name)),
  ),
];

const plain = (key: string): string => key;

const providerOf = ({ spec }: TelemetryPolicy) => spec.tracing?.provider;

/** What XTelemetryPolicies refer to. */
export const telemetryEdges = {
  /** A changed Gateway is resolved in any case, which marks its policies (`telemetryTargets`). */
  gateway: { to: { Gateway: plain }, targets: gatewaysOfTelemetry, marks: 'nothing' },
  receiver: {
    to: { Service: plain, ServiceImport: plain, XBackend: plain },
    targets: (policy) => {
      const ref = providerOf(policy)?.backendRef;
      return ref ? [objectKey(ref.namespace ?? policy.metadata.namespace, ref.name)] : [];
    },
    grants: true,
    marks: (source, marking) => markTelemetry(marking.store.find('XTelemetryPolicy', source), marking),
  },
} as const satisfies Record<string, Edge<'XTelemetryPolicy'>>;

/** How the policies of a Gateway are found. */
export const telemetryTargets = {
  edge: telemetryEdges.gateway,
  targetOf: ({ kind, namespace, name }: ListenerOwner): string =>
    kind === 'Gateway' ? objectKey(namespace, name) : '',
};

/** Marks the Gateways of a policy, and with them all policies of these: another one may rule now. */
export function markTelemetry(policy: TelemetryPolicy | undefined, { dirty }: Marking): void {
  for (const gateway of policy ? gatewaysOfTelemetry(policy) : []) dirty.gateways.add(gateway);
}

/** The policy that rules a Gateway: the oldest. Source: GEP-4768 on conflicts. */
export function telemetryPolicyOf(gateway: string, edges: EdgeIndexes, store: Store): TelemetryPolicy | undefined {
  const found = [...edges.of(telemetryEdges.gateway).sourcesOf(gateway)];
  return found.flatMap((key) => store.find('XTelemetryPolicy', key) ?? []).sort(compareAge)[0];
}

/** Spans by a policy, or why there are none. */
export interface ResolvedTelemetry {
  readonly tracing?: ir.Tracing;
  readonly fault?: ConditionFault;
  readonly referenceFault?: ConditionFault;
}

/** What a policy comes to. */
export function telemetryOf(policy: TelemetryPolicy, store: Store): ResolvedTelemetry {
  const { tracing } = policy.spec;
  if (tracing?.mode !== 'Enabled' || !tracing.provider) return {};
  const fault = faultOf(tracing);
  const { backendRef, headers = [] } = tracing.provider;
  const namespace = policy.metadata.namespace ?? '';
  const user = {
    group: kinds.XTelemetryPolicy.group,
    kind: kinds.XTelemetryPolicy.name,
    namespace,
    // OTLP is gRPC, which is HTTP/2.
    variant: { http2: true } as const,
  };
  const resolved = resolveBackend(backendRef, user, store);
  if ('fault' in resolved) return { ...(fault && { fault }), referenceFault: resolved.fault };
  if (fault) return { fault };
  const authority = `${backendRef.name}.${backendRef.namespace ?? namespace}`;
  const receiver = { backend: resolved.key, authority, ...(headers.length > 0 && { headers }) };
  return { tracing: tracingOf(tracing, receiver) };
}

const tracingOf = (
  { samplingRate, serviceName = 'gatewright', spanName, attributes = [] }: TracingSpec,
  receiver: ir.OtlpReceiver,
): ir.Tracing => ({
  receiver,
  samplingPercent: percentOf(samplingRate ?? { numerator: 100 }),
  serviceName,
  requestHeaders: [],
  ...(attributes.length > 0 && { tags: attributes.map(tagOf) }),
  ...(spanName !== undefined && { spanName }),
});

const percentOf = ({ numerator, denominator = 100 }: NonNullable<TracingSpec['samplingRate']>): number =>
  (100 * numerator) / denominator;

function tagOf({ name, sourceType, headerName = '', literalValue = '', attributeKey = '' }: AttributeSpec): ir.SpanTag {
  if (sourceType === 'Header') return { name, header: headerName };
  if (sourceType === 'Literal') return { name, value: literalValue };
  return { name, attribute: attributeKey as ir.SpanAttribute };
}

/** The client's decision holds for the trace as a whole: Envoy has no sampling that replaces it for some. */
function faultOf({ attributes = [], parentBasedSampling, provider }: TracingSpec): ConditionFault | undefined {
  const unknown = attributes.find(
    ({ sourceType, attributeKey = '' }) => sourceType === 'Attribute' && !spanAttributes.has(attributeKey),
  );
  if (unknown)
    return invalid(
      `tracing.attributes ${unknown.name}: ${unknown.attributeKey} is not known here: use one of ${[...spanAttributes].join(', ')}`,
    );
  if (parentBasedSampling?.mode === 'Disabled')
    return invalid('tracing.parentBasedSampling: what the client decided always holds: leave Disabled out');
  const { samplingRate } = parentBasedSampling ?? {};
  if (samplingRate && percentOf(samplingRate) < 100)
    return invalid('tracing.parentBasedSampling.samplingRate: what the client decided always holds: leave it out');
  const formatted = provider?.headers?.find(({ value }) => value.includes('%'));
  return formatted && invalid(`tracing.provider.headers ${formatted.name}: a value cannot have a percent sign here`);
}

const invalid = (message: string): ConditionFault => ({
  reason: 'Invalid',
  message: `${message}; until then there are no spans by it`,
});

const spanAttributes: ReadonlySet<string> = new Set<ir.SpanAttribute>([
  'client.address',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'url.path',
  'user_agent.original',
]);
