import test from 'ava';
import { shownListener } from '../../../../src/admin/snapshot/snapshot-record.ts';
import { httpListener } from '../../../support/ir.ts';

test('authorization before routing has the name that the API gave it; authorities of clients are not shown', (t) => {
  const listener = httpListener('https/443');
  const clients = { authorities: 'PEM', required: true };
  const tls = { serverNames: [], certificates: ['default/a'], clients };
  const chain = { kind: 'http' as const, name: 'http', table: 'https/443' };
  t.deepEqual(shownListener({ ...listener, chains: [{ ...chain, tls, preRoutingAuth: true }] }).chains, [
    { ...chain, tls: { ...tls, clients: { ...clients, authorities: 'configured' } }, preRoutingAuth: true },
  ]);
  t.deepEqual(shownListener(listener).chains, listener.chains);
});
