import test from 'ava';
import { jwksOf, tokenText } from '../support/access-model/credentials.ts';
import { send } from '../support/http.ts';
import { every } from '../support/repetitions.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const provider = (name: string, keys: string, header: string) => ({
  name,
  jwks: { inline: keys },
  from: { headers: [{ name: 'x-token' }] },
  claimsToHeaders: [{ claim: 'sub', header }],
});

const policy = (target: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name: 'tokens' },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }],
    jwt: {
      providers: [provider('staff', jwksOf('staff'), 'x-user'), provider('machines', jwksOf('machines'), 'x-machine')],
    },
  },
});

for (const target of every(3, [
  { kind: 'Gateway', name: 'edge' },
  { kind: 'HTTPRoute', name: 'web' },
  { kind: 'HTTPRoute', name: 'web', sectionName: 'all' },
])) {
  const where = `${target.kind}${'sectionName' in target ? ', one rule' : ''}`;
  test(`${where}: who shows a token of one provider cannot write what another provider’s tokens say`, async (t) => {
    const gateway = await startStandalone();
    t.teardown(() => gateway.stop());
    const backend = await gateway.backend('web');
    const rules = [{ name: 'all', backendRefs: [{ name: 'web', port: 80 }] }];
    gateway.write('all.yaml', ...backend, routeObject('web', 'shop.test', rules), policy(target));
    const ask = async (token: string) => {
      const headers = { 'x-token': token, 'x-user': 'root', 'x-machine': 'root' };
      const { status, body } = await send(gateway.port, { host: 'shop.test', headers });
      const seen = status === 200 ? (JSON.parse(body) as { headers: Record<string, string> }).headers : {};
      return [status, seen['x-user'], seen['x-machine']];
    };
    await until('the policy to hold', async () => (await ask('none'))[0] === 401);
    t.deepEqual(await ask(tokenText('operator')), [200, 'ann', undefined]);
    t.deepEqual(await ask(tokenText('machine')), [200, undefined, 'm1']);
  });
}
