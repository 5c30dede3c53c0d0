import test from 'ava';
import { metricSinksFor } from '../../../../src/app/data-plane/index.ts';
import { metricSinksOf } from '../../../../src/config/index.ts';

const node = { statsd: { node: true } };

test('receivers have the ports and the interval that are usual', (t) => {
  const read = metricSinksOf({ sinks: [{ otlp: { host: 'a.test' } }, { dogStatsd: { host: '192.0.2.1' } }, node] });
  t.deepEqual(metricSinksFor(read, { GATEWRIGHT_NODE_ADDRESS: '192.0.2.9' }), {
    metrics: {
      flushMs: 10_000,
      sinks: [
        { otlp: { host: 'a.test', port: 4317 } },
        { dogStatsd: { host: '192.0.2.1', port: 8125 } },
        { statsd: { host: '192.0.2.9', port: 8125, protocol: 'UDP' } },
      ],
    },
  });
});

test('without receivers there is nothing to send', (t) => {
  t.deepEqual(metricSinksFor(metricSinksOf(undefined), {}), {});
});

test('a receiver without an address is an error that says what is missing', (t) => {
  t.throws(() => metricSinksFor(metricSinksOf({ sinks: [node] }), {}), {
    message: /GATEWRIGHT_NODE_ADDRESS is not set/,
  });
  t.throws(() => metricSinksFor(metricSinksOf({ sinks: [{ statsd: {} }] }), {}), { message: /host is not set/ });
});
