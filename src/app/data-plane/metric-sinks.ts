import type { DataPlaneAgentOptions } from '../../agent/index.ts';
import { type Config, ConfigError } from '../../config/index.ts';

/** The variable with the address of the node that the proxy runs on. */
const nodeAddress = 'GATEWRIGHT_NODE_ADDRESS';

type MetricSinks = NonNullable<DataPlaneAgentOptions['metrics']>;
type Receiver = { readonly host?: string | undefined; readonly node: boolean };

/** Receivers of metrics with their addresses. Throws a ConfigError for one that has none. */
export function metricSinksFor(
  { flushMs, sinks }: Config['dataplane']['metrics'],
  env: Readonly<Record<string, string | undefined>>,
): { readonly metrics?: MetricSinks } {
  if (sinks.length === 0) return {};
  const placed = <T extends Receiver>({ host, node, ...rest }: T) => {
    const address = node ? env[nodeAddress] : host;
    if (address) return { ...rest, host: address };
    const fault = node ? `${nodeAddress} is not set, which has the node's address` : 'host is not set';
    throw new ConfigError(`dataplane.metrics.sinks: ${fault}`);
  };
  const all = sinks.map((sink) => {
    if ('otlp' in sink) return sink;
    return 'statsd' in sink ? { statsd: placed(sink.statsd) } : { dogStatsd: placed(sink.dogStatsd) };
  });
  return { metrics: { flushMs, sinks: all } };
}
