import { readFileSync } from 'node:fs';
import anyTest, { type TestFn } from 'ava';
import { parseAllDocuments } from 'yaml';
import { SecretSettings, SettingsError } from '../../src/addons/settings/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { KubeClient } from '../../src/kube/index.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';

/*
 * Settings in a Secret, with the rights that the manifests give and no others.
 */

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const patient = 600_000;
const namespace = 'gatewright-system';
const user = 'settings';
const name = 'gatewright-settings';

test.before(async (t) => {
  t.timeout(patient);
  const api = await borrowApiServer({ users: [user] });
  t.context.api = api;
  await api.client.create({ group: '', version: 'v1', plural: 'namespaces' }, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  } as KubernetesObject);
  // Of all rights only those of our own namespace, for a user in place of the ServiceAccount.
  const rights = documents('rbac/control-plane.yaml').filter(({ kind }) => kind === 'Role' || kind === 'RoleBinding');
  await api.apply(rights.map((object) => JSON.stringify(withUser(object))).join('\n---\n'));
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});

const documents = (file: string): KubernetesObject[] =>
  parseAllDocuments(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).map(
    (document) => document.toJS() as KubernetesObject,
  );

const withUser = (object: KubernetesObject): KubernetesObject =>
  object.kind === 'Role'
    ? object
    : ({
        ...object,
        subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
      } as KubernetesObject);

test.serial(
  'settings are kept in the Secret that is installed, with no more rights than the manifests give',
  async (t) => {
    t.timeout(patient);
    const { api } = t.context;
    const client = new KubeClient(api.kubeConfigOf(user));
    t.teardown(() => client.close());
    const settings = () => new SecretSettings({ client, namespace, name });
    t.is(await settings().read('chatbot'), undefined);
    const missing = await t.throwsAsync(settings().write('chatbot', {}), { instanceOf: SettingsError });
    t.regex(missing?.message ?? '', /Secret gatewright-system\/gatewright-settings does not exist: create it, empty/);

    for (const secret of documents('manifests/25-settings.yaml'))
      await api.client.apply({ group: '', version: 'v1', plural: 'secrets' }, secret);
    t.is(await settings().read('chatbot'), undefined);
    const writer = settings();
    await writer.write('chatbot', { apiKey: 'one' });
    await writer.write('metrics-backend', { prometheusUrl: 'http://x' });
    t.deepEqual(await writer.read('chatbot'), { apiKey: 'one' });
    // Another replica.
    t.deepEqual(await settings().read('metrics-backend'), { prometheusUrl: 'http://x' });
    // Installing again leaves what is in it.
    for (const secret of documents('manifests/25-settings.yaml'))
      await api.client.apply({ group: '', version: 'v1', plural: 'secrets' }, secret);
    t.deepEqual(await settings().read('chatbot'), { apiKey: 'one' });
  },
);

test.serial('a Secret that may not be read is named, with the verb that is missing', async (t) => {
  t.timeout(patient);
  const client = new KubeClient(t.context.api.kubeConfigOf(user));
  t.teardown(() => client.close());
  const settings = new SecretSettings({ client, namespace, name: 'another' });
  const error = await t.throwsAsync(settings.read('chatbot'), { instanceOf: SettingsError });
  t.is((error as SettingsError).code, 'forbidden');
  t.regex(error?.message ?? '', /Secret gatewright-system\/another cannot be read: .*cannot get resource "secrets"/);
});
