import { Client, credentials } from '@grpc/grpc-js';
import type { FailureReport, TrafficReport, TrafficRow } from '../../src/contracts/index.ts';
import { trafficReportPath } from '../../src/contracts/index.ts';

let sequence = 0;

/** A report as an agent makes it, of requests that passed just now. */
export const trafficReport = ({
  nodeId = 'n1',
  cluster = 'default/edge',
  now = Date.now(),
  ...rest
}: Partial<TrafficReport> & { readonly now?: number }): Readonly<Record<string, unknown>> => {
  sequence += 1;
  const report: TrafficReport = {
    nodeId,
    cluster,
    boot: 'boot',
    sequence,
    sentAt: now,
    counted: null,
    complete: true,
    failures: [],
    endpoints: null,
    ...rest,
  };
  return report as unknown as Readonly<Record<string, unknown>>;
};

/** A row of requests that were answered 200 in less than 5 ms, and of some that failed with 503 and this flag. */
export function trafficRow(
  route: string,
  { good = 0, bad = 0, flag = 'UF', backend = '', listener = 'http/80' } = {},
): TrafficRow {
  const flags = bad === 0 ? {} : { [flag]: bad };
  return [listener, route, backend, good + bad, bad, bad, [0, 0, good, 0, 0, bad], good, Array(12).fill(0), flags];
}

export const counted = (rows: readonly TrafficRow[], to = Date.now(), from = to - 10_000) => ({ from, to, rows });

/** A request that was refused a connection. */
export const failureReport = (route: string, given: Partial<FailureReport> = {}): FailureReport => ({
  at: Date.now(),
  listener: 'http/80',
  route,
  backend: '',
  endpoint: '10.0.0.1:8080',
  clientAddress: '',
  method: 'GET',
  host: 'shop.example',
  path: '/cart',
  protocol: 'HTTP/1.1',
  status: 503,
  flags: ['UF'],
  details: 'upstream_reset_before_response_started{connection_failure,Connection_refused}',
  transportFailure: '',
  attempts: 1,
  durationMs: 2,
  requestId: '',
  ...given,
});

/** Reports as an agent of `cluster` does, to a control plane that asks proxies for nothing; rejects with why it is not kept. */
export function sendTrafficReport(xdsPort: number, message: Readonly<Record<string, unknown>>): Promise<void> {
  const client = new Client(`127.0.0.1:${xdsPort}`, credentials.createInsecure());
  const raw = (bytes: Buffer) => bytes;
  return new Promise<void>((resolve, reject) => {
    client.makeUnaryRequest(trafficReportPath, raw, raw, Buffer.from(JSON.stringify(message)), (error) =>
      error ? reject(error) : resolve(),
    );
  }).finally(() => client.close());
}
