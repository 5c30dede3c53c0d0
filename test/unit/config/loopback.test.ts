import test from 'ava';
import { hostFromHere, isLoopback } from '../../../src/config/index.ts';

test('loopback is this machine alone, however it is written', (t) => {
  for (const host of ['127.0.0.1', '127.9.8.7', '::1', 'localhost', '0:0:0:0:0:0:0:1']) t.true(isLoopback(host), host);
  const others = [undefined, '0.0.0.0', '::', '10.0.0.1', 'localhost.example.com', '127.0.0.1.nip.io', '::2'];
  for (const host of others) t.false(isLoopback(host), host);
});

test('what listens on all addresses is called by loopback, anything else as it is', (t) => {
  t.is(hostFromHere(undefined), '127.0.0.1');
  t.is(hostFromHere('0.0.0.0'), '127.0.0.1');
  t.is(hostFromHere('::'), '::1');
  t.is(hostFromHere('10.1.2.3'), '10.1.2.3');
});
