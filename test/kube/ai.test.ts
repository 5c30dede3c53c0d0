import test from 'ava';
import { kinds, type ObjectByKind } from '../../src/gateway-api/index.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { type KubeOperator, startKubeOperator } from '../support/kube-operator.ts';
import { untilFits } from '../support/until.ts';

/** A control plane with the rights of rbac/ and no more. */
let operator: KubeOperator | undefined;
let api: KubeApiServer;

test.before(async (t) => {
  t.timeout(600_000);
  operator = await startKubeOperator({ own: ['aiservices', 'tokenpolicies'] });
  api = operator.api;
});
test.after.always(() => operator?.stop());

const put = (kind: 'AIService' | 'TokenPolicy', name: string, spec: object) =>
  api.client.apply(kinds[kind], {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind,
    metadata: { name, namespace: 'shop' },
    spec,
  });

const service = {
  provider: 'openai',
  endpoint: { hostname: 'api.openai.com' },
  models: [{ name: 'gpt-4o', price: { input: '2.50', output: '10' } }],
  auth: { secretRef: { name: 'openai' } },
};
const policy = {
  targetRefs: [{ group: 'gatewright.dev', kind: 'AIService', name: 'openai' }],
  key: { type: 'Header', header: 'x-team' },
  budgets: [{ unit: 'Tokens', limit: '1000', per: 'Day' }],
};

test('services and policies report in their statuses what applies, and what is missing', async (t) => {
  await put('AIService', 'openai', service);
  await put('TokenPolicy', 'per-team', policy);
  const conditions = async (kind: 'AIService' | 'TokenPolicy', name: string) => {
    const object = await api.client.find<ObjectByKind['AIService']>(kinds[kind], { namespace: 'shop', name });
    return (object?.status?.conditions ?? []).map(({ type, status, reason }) => [type, status, reason]);
  };
  await untilFits(
    'the missing Secret to be reported',
    () => conditions('AIService', 'openai'),
    (all) => JSON.stringify(all).includes('InvalidCredentialRef'),
  );
  await api.apply(
    '{apiVersion: v1, kind: Secret, metadata: {name: openai, namespace: shop}, stringData: {apiKey: sk}}',
  );
  const good = await untilFits(
    'the Secret to be found',
    () => conditions('AIService', 'openai'),
    (all) => all.every(([, status]) => status === 'True'),
  );
  t.deepEqual(good, [
    ['Accepted', 'True', 'Accepted'],
    ['ResolvedRefs', 'True', 'ResolvedRefs'],
  ]);
  await untilFits(
    'the policy to be accepted',
    () => conditions('TokenPolicy', 'per-team'),
    (all) => all.length === 1 && all[0]?.[1] === 'True',
  );
});

const rejected: readonly (readonly ['AIService' | 'TokenPolicy', object, RegExp])[] = [
  ['AIService', { ...service, provider: 'opanai' }, /supported values/i],
  ['AIService', { ...service, models: [] }, /models/],
  ['AIService', { ...service, endpoint: { hostname: 'https://api.openai.com' } }, /hostname/],
  ['AIService', { ...service, auth: { secretRef: { name: 'openai', key: 'password' } } }, /key/],
  ['AIService', { ...service, models: [{ name: 'x', price: { input: '-1', output: '1' } }] }, /price/],
  ['AIService', { ...service, timeouts: { firstToken: 'soon' } }, /firstToken/],
  ['AIService', { ...service, timeouts: { connectionIdle: 'never' } }, /connectionIdle/],
  ['AIService', { ...service, fallback: [{ name: 'a' }, { name: 'a' }] }, /twice/],
  ['TokenPolicy', { ...policy, targetRefs: [{ group: '', kind: 'Service', name: 'x' }] }, /HTTPRoute/],
  ['TokenPolicy', { ...policy, key: { type: 'Header' } }, /key\.header/],
  ['TokenPolicy', { ...policy, key: { type: 'Route', claim: 'sub' } }, /key\.claim/],
  ['TokenPolicy', { ...policy, budgets: [{ unit: 'Tokens', limit: '1.5', per: 'Day' }] }, /whole number/],
];

for (const [index, [kind, spec, said]] of rejected.entries()) {
  test(`the API server rejects ${kind} ${index} and says why`, async (t) => {
    const error = await t.throwsAsync(put(kind, `bad-${index}`, spec));
    t.regex(String(error?.message), said);
  });
}
