import test from 'ava';
import { parseListenAddress } from '../../../src/config/index.ts';

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
