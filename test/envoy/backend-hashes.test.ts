import test from 'ava';
import { send, startBackend } from '../support/http.ts';
import { endpointSlice, service } from '../support/objects.ts';
import { policy, startRuled } from '../support/ruled-backend.ts';

/** How finely a hash spreads requests, by BackendPolicies with a real Envoy. */

test('a hash reaches no more endpoints than its table has entries', async (t) => {
  const ports = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => (await startBackend(t, (_, response) => response.end(name))).port),
  );
  const hashed = (more: object) => {
    const consistentHash = { type: 'Header', header: { name: 'X-User' }, ...more };
    return { loadBalancer: { type: 'ConsistentHash', consistentHash } };
  };
  const { port, apply } = await startRuled(t, hashed({ tableSize: 2 }), [
    service('web', [{ port: 80, name: 'p80' }] as never),
    ...ports.map((each, index) => endpointSlice('web', ['127.0.0.1'], { port: each, suffix: String(index) })),
  ]);
  const reached = async () => {
    const names = new Set<string>();
    for (let user = 0; user < 60; user++)
      names.add((await send(port, { host: 'web.test', headers: { 'x-user': `user-${user}` } })).body);
    return names.size;
  };
  t.is(await reached(), 2);
  await apply(policy(hashed({ tableSize: 5 })));
  t.is(await reached(), 3);
});
