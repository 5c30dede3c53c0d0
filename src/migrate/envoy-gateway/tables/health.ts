import type { Table, Visit } from '../../kit/table.ts';
import { fieldsOf, listOf, numberOf, textAt, textOf } from '../../kit/values.ts';

const active = 'BackendPolicy.healthCheck.active';
const passive = 'BackendPolicy.healthCheck.passive';

/** A payload of theirs: a text, or bytes in base64. Bytes are kept where they are text. */
function payloadOf(value: unknown, visit: Visit): string | undefined {
  const fields = fieldsOf(value);
  const text = textAt(fields, 'text');
  if (text !== undefined) return text;
  const bytes = Buffer.from(textAt(fields, 'binary') ?? '', 'base64').toString('utf8');
  if (/^[\t\n\r -~]+$/.test(bytes)) return bytes;
  visit.miss('has bytes that are no text');
  return undefined;
}

const statuses = (value: unknown) => listOf(value).map((status) => ({ from: numberOf(status) }));

/** `healthCheck` of a BackendTrafficPolicy. */
export const healthTable: Table = {
  active: {
    in: {
      type: { aside: 'which of http, grpc and tcp there is' },
      interval: { to: `${active}.interval` },
      timeout: { to: `${active}.timeout` },
      unhealthyThreshold: { to: `${active}.unhealthyThreshold` },
      healthyThreshold: { to: `${active}.healthyThreshold` },
      http: {
        in: {
          path: { to: `${active}.http.path` },
          hostname: { to: `${active}.http.host` },
          method: {
            by: (value, visit) => {
              if (['GET', 'HEAD', 'OPTIONS', 'POST'].includes(String(value))) visit.set(`${active}.http.method`, value);
              else visit.miss(`${String(value)} is no method of checks: GET is used`);
            },
            knows: [],
          },
          expectedStatuses: { to: `${active}.http.expectedStatuses`, as: statuses },
          retriableStatuses: { to: `${active}.http.retriableStatuses`, as: statuses },
          requestBody: { to: `${active}.http.body`, as: payloadOf },
          expectedResponse: { to: `${active}.http.expectedBody`, as: payloadOf },
        },
      },
      grpc: {
        by: (value, visit) => visit.set(`${active}.grpc`, { ...fieldsOf(value) }),
        knows: ['service'],
      },
      tcp: {
        by: (value, visit) => {
          const { send, receive } = fieldsOf(value);
          visit.set(`${active}.tcp`, {});
          if (send !== undefined) visit.set(`${active}.tcp.send`, payloadOf(send, visit.at('send')));
          if (receive !== undefined) visit.set(`${active}.tcp.receive`, payloadOf(receive, visit.at('receive')));
        },
        knows: ['send', 'receive'],
      },
      overrides: { in: { port: { to: `${active}.port`, as: numberOf } } },
      initialJitter: { to: 'BackendPolicy.healthCheck.active.initialJitter', as: textOf },
      healthCheckLog: { cannot: 'Envoy’s health check log is not written' },
    },
  },
  passive: {
    in: {
      consecutive5XxErrors: { to: `${passive}.consecutive5xx` },
      consecutiveGatewayErrors: { to: `${passive}.consecutiveGatewayErrors` },
      splitExternalLocalOriginErrors: { aside: 'consecutiveLocalOriginFailures, which counts such errors apart' },
      consecutiveLocalOriginFailures: { aside: 'consecutiveLocalOriginFailures, where they are counted apart' },
      interval: { to: `${passive}.interval` },
      baseEjectionTime: { to: `${passive}.baseEjectionTime` },
      maxEjectionPercent: { to: `${passive}.maxEjectionPercent` },
      failurePercentageThreshold: { to: `${passive}.failurePercentage.threshold` },
      alwaysEjectOneEndpoint: { none: 'one endpoint may always be left out' },
    },
  },
  panicThreshold: { to: 'BackendPolicy.healthCheck.panicThreshold' },
};

/** Writes down what their definition fills in, and ours fills in differently. */
export function fillHealth(spec: unknown, visit: Visit): void {
  const health = fieldsOf(spec);
  const { draft } = visit;
  const fill = (path: string, value: unknown) => {
    if (draft.get(path) === undefined) draft.set(path, value);
  };
  if (draft.get(active) !== undefined) fill(`${active}.interval`, '3s');
  if (health.passive === undefined) return;
  const { splitExternalLocalOriginErrors, consecutiveLocalOriginFailures = 5 } = fieldsOf(health.passive);
  fill(`${passive}.consecutive5xx`, 5);
  fill(`${passive}.interval`, '3s');
  fill(`${passive}.baseEjectionTime`, '30s');
  fill(`${passive}.maxEjectionPercent`, 10);
  if (splitExternalLocalOriginErrors === true)
    fill(`${passive}.consecutiveLocalOriginFailures`, consecutiveLocalOriginFailures);
}
