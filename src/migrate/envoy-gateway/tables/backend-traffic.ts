import type { Table, Visit } from '../../kit/table.ts';
import { bytesOf, type Fields, fieldsOf, listOf, numberOf, textOf } from '../../kit/values.ts';
import { balancingTable } from './balancing.ts';
import { http2Table, keepaliveTable } from './connections.ts';
import { fillHealth, healthTable } from './health.ts';
import { bucketsOf } from './limits.ts';
import { pagesOf } from './pages.ts';
import { fillRetries, retryTable } from './retries.ts';
import { targetFields } from './targets.ts';

const admission = 'TrafficPolicy.admission';
const percents = 'a share of a request in percent is a whole number: it is rounded';

/** What compresses; the newer list counts where there are both. */
const compression: Table[string] = {
  by: (value, visit) => {
    const items = listOf(value).map(fieldsOf);
    visit.set(
      'TrafficPolicy.compression.algorithms',
      items.map(({ type }) => textOf(type)),
    );
    const [least, ...others] = items.flatMap(({ minContentLength }) =>
      minContentLength === undefined ? [] : [bytesOf(minContentLength)],
    );
    visit.set('TrafficPolicy.compression.minBytes', least);
    if (others.some((bytes) => bytes !== least))
      visit.note('differs', 'one length counts for all algorithms: the first');
  },
  knows: ['[].type', '[].minContentLength', '[].gzip', '[].brotli', '[].zstd'],
};

const wholePercent = (value: unknown, visit: Visit): number => {
  const percent = numberOf(value);
  if (!Number.isInteger(percent)) visit.note('differs', percents);
  return percent === 0 ? 0 : Math.max(1, Math.round(percent));
};

const seconds: Readonly<Record<string, number>> = { Second: 1, Minute: 60, Hour: 3600 };

/** Bytes of a second, as text of `TrafficPolicy.bandwidth`. */
function rateOf(value: unknown): string {
  const { value: amount, unit } = fieldsOf(value);
  const each = bytesOf(amount) / (seconds[textOf(unit)] ?? 1);
  return `${Math.max(1, Math.min(999_999, Math.floor(each / 1024)))}Ki`;
}

/** A BackendTrafficPolicy: what is of connections becomes a BackendPolicy of the Services, what is of requests a TrafficPolicy. */
export const backendTrafficPolicy: Table = {
  ...targetFields,
  admissionControl: {
    in: {
      minSuccessRate: { to: `${admission}.successRate` },
      samplingWindow: { to: `${admission}.window` },
      minRequestRate: { to: `${admission}.minRequestsPerSecond` },
      maxRejectionPercent: { to: `${admission}.maxRejectPercent` },
      rejectionAggression: { cannot: 'the share that is rejected grows as Envoy’s default has it' },
      successCriteria: { cannot: 'statuses from 500 on count as failed' },
    },
  },
  bandwidthLimit: {
    in: {
      request: { in: { limit: { to: 'TrafficPolicy.bandwidth.total.request', as: rateOf } } },
      response: {
        in: {
          limit: { to: 'TrafficPolicy.bandwidth.total.response', as: rateOf },
          responseTrailers: { cannot: 'answers have no trailers about it' },
        },
      },
    },
  },
  circuitBreaker: {
    in: {
      maxConnections: { to: 'BackendPolicy.circuitBreaker.maxConnections' },
      maxPendingRequests: { to: 'BackendPolicy.circuitBreaker.maxPendingRequests' },
      maxParallelRequests: { to: 'BackendPolicy.circuitBreaker.maxParallelRequests' },
      maxParallelRetries: { to: 'BackendPolicy.circuitBreaker.maxParallelRetries' },
      maxRequestsPerConnection: { to: 'BackendPolicy.circuitBreaker.maxRequestsPerConnection' },
      perEndpoint: { in: { maxConnections: { to: 'BackendPolicy.circuitBreaker.maxConnectionsPerEndpoint' } } },
      retryBudget: { decide: 'write it as retryConstraint of an XBackendTrafficPolicy for the Services' },
    },
  },
  compression,
  compressor: compression,
  connection: {
    in: {
      bufferLimit: { to: 'BackendPolicy.connection.bufferBytes', as: bytesOf },
      socketBufferLimit: { to: 'BackendPolicy.connection.socketBufferBytes', as: bytesOf },
      preconnect: {
        in: {
          perEndpointPercent: { to: 'BackendPolicy.connection.preconnectPercent' },
          predictivePercent: { to: 'BackendPolicy.connection.preconnectNextPercent' },
        },
      },
    },
  },
  dns: {
    in: {
      dnsRefreshRate: { to: 'BackendPolicy.dns.refreshInterval' },
      respectDnsTtl: { to: 'BackendPolicy.dns.respectTTL' },
      lookupFamily: {
        to: 'BackendPolicy.dns.family',
        as: (value) => (value === 'IPv4AndIPv6' ? 'All' : textOf(value)),
      },
    },
  },
  faultInjection: {
    in: {
      delay: {
        in: {
          fixedDelay: { to: 'TrafficPolicy.faults.delay.duration' },
          percentage: { to: 'TrafficPolicy.faults.delay.percent', as: wholePercent },
        },
      },
      abort: {
        in: {
          httpStatus: { to: 'TrafficPolicy.faults.abort.status' },
          grpcStatus: { to: 'TrafficPolicy.faults.abort.grpcStatus' },
          percentage: { to: 'TrafficPolicy.faults.abort.percent', as: wholePercent },
        },
      },
    },
  },
  healthCheck: { in: healthTable },
  http2: { in: http2Table('BackendPolicy') },
  httpUpgrade: {
    by: (value, visit) =>
      visit.each(value, ({ type, connect }, at) => {
        const word = textOf(type);
        if (word === 'websocket') at.note('no-effect', 'WebSockets pass always');
        else if (word !== 'CONNECT') at.note('decision', `allow ${word} in upgrades.protocols of the TrafficPolicy`);
        else if (fieldsOf(connect).terminate !== true) at.miss('tunnels end at proxies, and no backend gets CONNECT');
        else {
          visit.set('TrafficPolicy.upgrades.connect', {});
          at.note('differs', 'only matches with the method CONNECT open tunnels, to Services');
        }
      }),
    knows: ['[].type', '[].connect'],
  },
  loadBalancer: { in: balancingTable },
  proxyProtocol: { in: { version: { to: 'BackendPolicy.proxyProtocol.version' } } },
  rateLimit: {
    in: {
      type: { aside: 'which of local and global there is' },
      local: { in: { rules: { by: bucketsOf('RateLimitPolicy', 'Proxy'), knows: ['[]'] } } },
      global: { in: { rules: { by: bucketsOf('SharedRateLimitPolicy', 'Shared'), knows: ['[]'] } } },
    },
  },
  requestBuffer: {
    in: {
      limit: {
        by: (value, visit) => {
          const bytes = bytesOf(value);
          if (bytes <= 99 * 2 ** 20) return visit.set('TrafficPolicy.buffering.request.maxBytes', plainBytes(bytes));
          visit.set('TrafficPolicy.requestBody.maxBytes', plainBytes(bytes));
          visit.note(
            'differs',
            'more than 99Mi is not kept in memory: larger bodies get 413, and smaller ones are sent on as they come',
          );
        },
        knows: [],
      },
    },
  },
  responseOverride: { by: pagesOf, knows: ['[]'] },
  retry: { in: retryTable },
  routingType: { to: 'BackendPolicy.addressing', as: (value) => (value === 'Service' ? 'Service' : 'Endpoints') },
  tcpKeepalive: { in: keepaliveTable('BackendPolicy') },
  telemetry: { cannot: 'sampling, tags and names of spans are those of the listener: tracing of a ListenerPolicy' },
  timeout: {
    in: {
      tcp: { in: { connectTimeout: { to: 'BackendPolicy.timeouts.connect' } } },
      http: {
        in: {
          connectionIdleTimeout: { to: 'BackendPolicy.timeouts.idle' },
          maxConnectionDuration: { to: 'BackendPolicy.timeouts.maxConnectionDuration' },
          maxStreamDuration: { to: 'TrafficPolicy.timeouts.maxStreamDuration' },
          requestTimeout: { to: 'TrafficPolicy.timeouts.request' },
          streamIdleTimeout: { to: 'TrafficPolicy.timeouts.streamIdle' },
        },
      },
    },
  },
  useClientProtocol: { to: 'BackendPolicy.useClientProtocol' },
};

/** The most exact of the few texts that `buffering` and `requestBody` take. */
function plainBytes(bytes: number): string {
  if (bytes < 1e8) return String(bytes);
  return `${Math.ceil(bytes / 2 ** 20)}Mi`;
}

/** Writes down what Envoy Gateway takes for what a policy does not say, and what is different here. */
export function fillBackendTraffic(spec: Fields, visit: Visit): void {
  const { draft } = visit;
  if (spec.healthCheck !== undefined) fillHealth(spec.healthCheck, visit);
  if (spec.retry !== undefined) fillRetries(fieldsOf(spec.retry), visit);
  if (spec.circuitBreaker !== undefined)
    for (const name of ['maxConnections', 'maxPendingRequests', 'maxParallelRequests', 'maxParallelRetries']) {
      const path = `BackendPolicy.circuitBreaker.${name}`;
      if (draft.get(path) === undefined) draft.set(path, 1024);
    }
  for (const part of ['delay', 'abort'])
    if (
      draft.get(`TrafficPolicy.faults.${part}`) !== undefined &&
      draft.get(`TrafficPolicy.faults.${part}.percent`) === undefined
    )
      draft.set(`TrafficPolicy.faults.${part}.percent`, 100);
}
