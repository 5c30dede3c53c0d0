import test from 'ava';
import { parseDurationMs, parseListenAddress } from '../../../src/config/index.ts';

const duration = test.macro({
  exec: (t, text: string, ms: number | undefined) => t.is(parseDurationMs(text), ms),
  title: (_, text) => `duration ${JSON.stringify(text)}`,
});
test(duration, '10s', 10_000);
test(duration, '1h30m', 5_400_000);
test(duration, '250ms', 250);
test(duration, '1m1s1ms', 61_001);
test(duration, '0s', 0);
test(duration, '', undefined);
test(duration, '10', undefined);
test(duration, '1.5s', undefined);
test(duration, '-1s', undefined);
test(duration, '1s ', undefined);
test(duration, '100000s', undefined);
test(duration, '1s1s1s1s1s', undefined);

const address = test.macro({
  exec: (t, text: string, expected: ReturnType<typeof parseListenAddress>) =>
    t.deepEqual(parseListenAddress(text), expected),
  title: (_, text) => `address ${JSON.stringify(text)}`,
});
test(address, ':18081', { port: 18081 });
test(address, '127.0.0.1:0', { host: '127.0.0.1', port: 0 });
test(address, '[::1]:80', { host: '::1', port: 80 });
test(address, 'gatewright.svc:80', { host: 'gatewright.svc', port: 80 });
test(address, '18081', undefined);
test(address, ':65536', undefined);
test(address, '::1:80', undefined);
test(address, '[:::]:80', undefined);
test(address, 'http://a:80', undefined);
