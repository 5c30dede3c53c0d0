import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ControlPlane } from '../../bin/control-plane.ts';
import { startOperator } from '../../bin/operator.ts';
import { loadConfig } from '../../src/config/index.ts';
import { kinds, type ObjectByKind } from '../../src/gateway-api/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { KubeApiServer } from '../support/kube-apiserver.ts';
import { untilFits } from '../support/until.ts';

/** A control plane with the rights of rbac/ and no more. */
const user = 'system:serviceaccount:gatewright-system:gatewright';

let api: KubeApiServer;
let control: ControlPlane;
let directory: string;

test.before(async (t) => {
  t.timeout(600_000);
  api = await KubeApiServer.start({ users: [user] });
  for (const plural of ['gatewayclasses', 'gateways', 'httproutes'])
    await api.installCrd(`${plural}.gateway.networking.k8s.io`);
  for (const plural of ['aiservices', 'tokenpolicies']) await api.installCrd(`${plural}.gatewright.dev`, 'own');
  for (const name of ['gatewright-system', 'shop'])
    await api.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
  await api.apply(await readFile(new URL('../../rbac/control-plane.yaml', import.meta.url), 'utf8'));
  directory = await mkdtemp(join(tmpdir(), 'gatewright-ai-kube-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeConfigOf(user).exportConfig());
  const file = join(directory, 'config.yaml');
  await writeFile(
    file,
    `
source: {kubernetes: {kubeconfig: ${kubeconfig}}}
xds: {listen: "127.0.0.1:0", insecure: true}
admin: {listen: "127.0.0.1:0", layout2Listen: "127.0.0.1:0"}
metrics: {listen: "127.0.0.1:0"}
infrastructure: {image: "gatewright:test", serviceType: ClusterIP}
leaderElection: {enabled: false}
`,
  );
  const logger = createLogger({ level: 'silent' });
  control = await startOperator({ config: loadConfig(file, {}), logger, version: 'test', env: {} });
});
test.after.always(async () => {
  await control?.stop();
  await api?.stop();
  if (directory) await rm(directory, { recursive: true, force: true });
});

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

test('services and policies are told what becomes of them, and what is missing', async (t) => {
  await put('AIService', 'openai', service);
  await put('TokenPolicy', 'per-team', policy);
  const conditions = async (kind: 'AIService' | 'TokenPolicy', name: string) => {
    const object = await api.client.find<ObjectByKind['AIService']>(kinds[kind], { namespace: 'shop', name });
    return (object?.status?.conditions ?? []).map(({ type, status, reason }) => [type, status, reason]);
  };
  await untilFits(
    'the missing Secret to be told',
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

const refused: readonly (readonly ['AIService' | 'TokenPolicy', object, RegExp])[] = [
  ['AIService', { ...service, provider: 'opanai' }, /supported values/i],
  ['AIService', { ...service, models: [] }, /models/],
  ['AIService', { ...service, endpoint: { hostname: 'https://api.openai.com' } }, /hostname/],
  ['AIService', { ...service, auth: { secretRef: { name: 'openai', key: 'password' } } }, /key/],
  ['AIService', { ...service, models: [{ name: 'x', price: { input: '-1', output: '1' } }] }, /price/],
  ['AIService', { ...service, timeouts: { firstToken: 'soon' } }, /firstToken/],
  ['AIService', { ...service, fallback: [{ name: 'a' }, { name: 'a' }] }, /twice/],
  ['TokenPolicy', { ...policy, targetRefs: [{ group: '', kind: 'Service', name: 'x' }] }, /HTTPRoute/],
  ['TokenPolicy', { ...policy, key: { type: 'Header' } }, /key\.header/],
  ['TokenPolicy', { ...policy, key: { type: 'Route', claim: 'sub' } }, /key\.claim/],
  ['TokenPolicy', { ...policy, budgets: [{ unit: 'Tokens', limit: '1.5', per: 'Day' }] }, /whole number/],
];

for (const [index, [kind, spec, said]] of refused.entries()) {
  test(`the API server refuses ${kind} ${index} and says why`, async (t) => {
    const error = await t.throwsAsync(put(kind, `bad-${index}`, spec));
    t.regex(String(error?.message), said);
  });
}
