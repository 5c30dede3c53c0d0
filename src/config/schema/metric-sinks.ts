import * as z from 'zod';
import { duration, flag, oneOf, text, whole } from './leaf.ts';

const host = text('an IP address or a name').optional();
const port = (usual: number) => whole('a port', 1, 65_535).default(usual);
const prefix = text('the beginning of names of metrics').optional();
/** The address of the node, which the environment variable GATEWRIGHT_NODE_ADDRESS has. */
const node = flag().default(false);

/** Where Envoy sends its metrics; a DataPlane has the same fields. */
export const metricSinks = z
  .strictObject({
    flushInterval: duration().prefault('10s').describe('How often they are sent.'),
    sinks: z
      .array(
        z.union([
          z.strictObject({ otlp: z.strictObject({ host: text('an IP address or a name'), port: port(4317), prefix }) }),
          z.strictObject({
            statsd: z.strictObject({
              host,
              node,
              port: port(8125),
              protocol: oneOf(['UDP', 'TCP']).default('UDP'),
              prefix,
            }),
          }),
          z.strictObject({ dogStatsd: z.strictObject({ host, node, port: port(8125), prefix }) }),
        ]),
        { error: 'a list of receivers: `otlp`, `statsd` or `dogStatsd`' },
      )
      .meta({ title: 'list of receivers' })
      .default([])
      .describe('The receivers: `otlp`, `statsd` or `dogStatsd`, each with `host`, `port` and `prefix`.'),
  })
  .transform(({ flushInterval, sinks }) => ({ flushMs: flushInterval, sinks }))
  .prefault({})
  .describe('Where Envoy sends its metrics, beside those that the agent serves for Prometheus.');

/** The same from a DataPlane, whose definition has checked it. */
export const metricSinksOf = (spec: unknown): z.output<typeof metricSinks> => metricSinks.parse(spec ?? undefined);
