import { type Condition, keyOf } from '../../../gateway-api/index.ts';
import { type LatencyRow, percentile } from '../data.ts';
import { type UnitPrices, unitPrices } from '../prices.ts';
import { type Merged, sumOf } from './merged.ts';
import { isReady, type ServiceInfo } from './overview.ts';

export interface ServiceReport {
  readonly name: string;
  readonly namespace: string;
  readonly provider: string;
  readonly format: 'OpenAI' | 'Anthropic';
  /** The first of its models. */
  readonly model: string;
  readonly models: readonly {
    readonly match: string;
    readonly type: 'Exact' | 'Prefix';
    readonly as: string | null;
    readonly price: UnitPrices;
  }[];
  /** `https://HOST:PORT/PATH`, or `inferencepool/NAMESPACE/NAME`. */
  readonly endpoint: string;
  /** Null: it is no pool. */
  readonly pool: PoolReport | null;
  /** Null: requests are sent without. */
  readonly credential: {
    readonly secret: string;
    readonly present: boolean;
    readonly resourceVersion: string | null;
  } | null;
  readonly fallback: readonly string[];
  readonly routes: readonly string[];
  readonly conditions: readonly Condition[];
  readonly status: 'ready' | 'notReady';
  /** Data planes that have applied the newest snapshot, of those whose Gateways use the service. */
  readonly nodes: { readonly programmed: number; readonly total: number };
  readonly last5m: {
    readonly requests: number;
    readonly errors: number;
    readonly p95Ms: number | null;
    readonly timeToFirstTokenMs: Quantiles;
    readonly timePerOutputTokenMs: Quantiles;
  };
}

interface Quantiles {
  readonly p50: number | null;
  readonly p95: number | null;
}

/** The InferencePool that a service is. */
export interface PoolReport {
  readonly name: string;
  /** Model servers, of which proxies are sent requests; null: there is no such pool, or no Gateway uses it. */
  readonly endpoints: { readonly ready: number; readonly total: number } | null;
  /** Null: it names none. */
  readonly picker: { readonly service: string; readonly failureMode: 'FailOpen' | 'FailClose' } | null;
}

export interface ServiceCircumstances {
  readonly credential: ServiceReport['credential'];
  readonly pool: PoolReport | null;
  readonly routes: readonly string[];
  readonly nodes: ServiceReport['nodes'];
}

/** One AIService, and how it did of late. */
export function serviceReport(
  { object, status }: ServiceInfo,
  { data }: Merged,
  circumstances: ServiceCircumstances,
  now: number,
): ServiceReport {
  const { metadata, spec } = object;
  const own = data.usage.filter(({ service }) => service === keyOf(object));
  const latency = (kind: LatencyRow['kind']) =>
    data.latency.filter((row) => row.kind === kind && row.subject === keyOf(object));
  const quantiles = (kind: LatencyRow['kind']) => ({
    p50: percentile(latency(kind), 0.5),
    p95: percentile(latency(kind), 0.95),
  });
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    provider: spec.provider,
    format: spec.schema ?? (spec.provider === 'anthropic' ? 'Anthropic' : 'OpenAI'),
    model: spec.models[0]?.name ?? '',
    models: spec.models.map(({ name, match = 'Exact', as = null }) => ({
      match: name,
      type: match,
      as,
      price: unitPrices({ service: object, model: name, responseModel: null, at: now }),
    })),
    endpoint: endpointText(object),
    ...circumstances,
    fallback: (spec.fallback ?? []).map(({ name }) => name),
    conditions: status && 'conditions' in status ? status.conditions : [],
    status: isReady({ object, status }) ? 'ready' : 'notReady',
    last5m: {
      requests: sumOf(own, ({ requests }) => requests),
      errors: sumOf(own, ({ errors }) => errors),
      p95Ms: percentile(latency('service'), 0.95),
      timeToFirstTokenMs: quantiles('serviceFirstToken'),
      timePerOutputTokenMs: quantiles('servicePerToken'),
    },
  };
}

function endpointText({ metadata, spec: { endpoint, pool } }: ServiceInfo['object']): string {
  if (!endpoint) return `inferencepool/${metadata.namespace}/${pool?.name}`;
  const { hostname, port = 443, path = '/v1', tls } = endpoint;
  return `${tls?.mode === 'None' ? 'http' : 'https'}://${hostname}:${port}${path}`;
}
