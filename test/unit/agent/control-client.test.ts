import { connectivityState } from '@grpc/grpc-js';
import test from 'ava';
import { plainAccess } from '../../../src/agent/access/index.ts';
import { ControlClient } from '../../../src/agent/relay/index.ts';
import { attemptsAt } from '../../support/attempts-at.ts';
import { unreachablePort } from '../../support/unreachable-port.ts';
import { until } from '../../support/until.ts';

test('a channel that connects for ten seconds is replaced, and its calls go on elsewhere', async (t) => {
  const port = await unreachablePort(t);
  const attempts = attemptsAt(t, port);
  let now = 0;
  const client = new ControlClient({ address: `127.0.0.1:${port}`, access: plainAccess(), nowMs: () => now });
  t.teardown(() => client.close());
  const first = client.get();
  first.getChannel().getConnectivityState(true);
  await until('an attempt', () => attempts.length === 1);
  t.is(client.get(), first);
  now = 9999;
  t.is(client.get(), first);
  now = 10_000;
  const second = client.get();
  t.not(second, first);
  t.is(first.getChannel().getConnectivityState(false), connectivityState.SHUTDOWN);
  second.getChannel().getConnectivityState(true);
  await until('another attempt', () => attempts.length === 2);
  t.is(client.get(), second);
});
