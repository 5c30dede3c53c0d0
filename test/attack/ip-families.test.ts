import test from 'ava';
import { startFamilyWorld, untilStatus } from '../support/ip-families.ts';

/** A client that is not let in by its address, and tries other ways to write it and other sockets of the same port. */

const api = { apiVersion: 'gatewright.dev/v1alpha1' };
const target = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };
const policy = (clientIPs: object) => ({
  ...api,
  kind: 'AccessPolicy',
  metadata: { name: 'addresses' },
  spec: { targetRefs: [target], clientIPs },
});

/** The address of the proxy as a client of IPv6 writes it: Linux makes a connection of IPv4 of it. */
const mapped = '::ffff:127.0.0.1';

test('who is denied by IPv4 comes in neither by the address of IPv6 that stands for it, nor by its header', async (t) => {
  t.timeout(240_000);
  const { ask, write } = await startFamilyWorld(t, 'DualStack', {
    'access.yaml': [policy({ deny: ['127.0.0.0/8'] })],
  });
  await untilStatus('a 403', () => ask('127.0.0.1'), 403);
  await untilStatus('a client of IPv6 who is not denied', () => ask('::1'), 200);
  const forged = { 'x-forwarded-for': '::1' };
  for (const headers of [{}, forged]) {
    const outcome = await ask(mapped, headers);
    t.is(outcome !== 'refused' && outcome.status, 403);
  }
  // The other way round: a rule for the mapped form is one for no client, and lets none in.
  write('access.yaml', policy({ allow: [`${mapped}/128`] }));
  await untilStatus('a 403 for the client of IPv6', () => ask('::1'), 403);
  const outcome = await ask(mapped);
  t.is(outcome !== 'refused' && outcome.status, 403);
});
