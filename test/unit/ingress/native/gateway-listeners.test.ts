import test from 'ava';
import type { ObjectKey } from '../../../../src/gateway-api/index.ts';
import { gatewayListeners, httpsListenerOf } from '../../../../src/ingress/native/gateway-listeners.ts';

const secure = (name: string, hostname?: string) => ({
  name,
  port: 443,
  protocol: 'HTTPS',
  ...(hostname !== undefined && { hostname }),
});

for (const order of ['as written', 'reversed'])
  test(`a host has the listener that says most of it, ${order}`, (t) => {
    const https = [secure('all'), secure('below', '*.b.test'), secure('exact', 'a.b.test'), secure('far', '*.test')];
    const listeners = [
      { name: 'http', port: 80, protocol: 'HTTP' },
      ...(order === 'reversed' ? https.reverse() : https),
    ];
    const gateway = { kind: 'Gateway', metadata: { namespace: 'infra', name: 'edge' }, spec: { listeners } };
    const found = gatewayListeners('infra/edge' as ObjectKey, { find: () => gateway } as never);
    if ('fault' in found) return t.fail(found.fault.message);
    const of = (host: string) => httpsListenerOf(found, host)?.name;
    t.deepEqual(['a.b.test', 'x.b.test', '*.x.b.test', 'c.test', 'other', ''].map(of), [
      'exact',
      'below',
      'below',
      'far',
      'all',
      'all',
    ]);
  });
