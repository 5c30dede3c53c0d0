import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import anyTest, { type TestFn } from 'ava';
import { baseFiles } from '../../scripts/generate/packaging.ts';
import { crdDir, kubernetesDir, monitoringDir, root } from '../../scripts/paths.mjs';
import { run } from '../../scripts/setup/run.mjs';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { KubeError, resourcePath } from '../../src/kube/index.ts';
import { valueSets } from '../support/chart-values.ts';
import { chartPath, helm, render } from '../support/helm.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import { type KubeApiServer, typeOf } from '../support/kube-apiserver.ts';
import { objectsOf } from '../support/manifests.ts';

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const patient = 600_000;
const namespace = 'gatewright-system';
const installFile = join(root, 'manifests/install.yaml');

test.before(async (t) => {
  t.timeout(patient);
  const api = await borrowApiServer();
  t.context.api = api;
  // As it is released: the script of the install page compares it.
  await api.apply(await readFile(join(crdDir('standard'), 'gateway.networking.k8s.io_gatewayclasses.yaml'), 'utf8'));
  for (const file of await readdir(monitoringDir()))
    await api.apply(await readFile(join(monitoringDir(), file), 'utf8'));
  for (const text of await Promise.all(baseFiles('crds').map((path) => readFile(join(root, path), 'utf8'))))
    await api.apply(text);
  await api.apply(await readFile(join(root, 'manifests/00-namespace.yaml'), 'utf8'));
  for (const name of ['team-a', 'team-b'])
    await api.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`);
  await api.apply(`{apiVersion: v1, kind: ServiceAccount, metadata: {name: gatewright, namespace: ${namespace}}}`);
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});

/** What the API server would make of an object, by its own schemas and admission, with no field unknown to it. */
function tryOut({ client }: KubeApiServer, object: KubernetesObject): Promise<KubernetesObject> {
  const { namespace: place, name } = object.metadata;
  return client.json({
    method: 'PATCH',
    path: resourcePath(typeOf(object), place, name),
    query: { fieldManager: 'test', force: true, dryRun: 'All', fieldValidation: 'Strict' },
    body: JSON.stringify(object),
    contentType: 'application/apply-patch+yaml',
  });
}

/** What the API server has against each of some objects. */
async function rejections(api: KubeApiServer, objects: readonly KubernetesObject[]): Promise<string[]> {
  const answers = objects.map(async (object) => {
    const rejected = await tryOut(api, object).then(
      () => undefined,
      (error: KubeError) => error.message,
    );
    return rejected === undefined ? [] : [`${object.kind} ${object.metadata.name}: ${rejected}`];
  });
  return (await Promise.all(answers)).flat();
}

for (const [name, values] of Object.entries(valueSets)) {
  test(`the API server takes every object of the chart with these values: ${name}`, async (t) => {
    t.timeout(patient);
    const objects = await render('gatewright', values);
    t.log(objects.map(({ kind }) => kind).join(' '));
    t.true(objects.length >= 4);
    t.deepEqual(await rejections(t.context.api, objects), []);
  });
}

test('the API server takes every object of install.yaml, which is what kustomize makes of the base', async (t) => {
  t.timeout(patient);
  const objects = objectsOf(await readFile(installFile, 'utf8'));
  t.deepEqual(await rejections(t.context.api, objects), []);
  const built = objectsOf(await run(join(kubernetesDir(), 'kubectl'), ['kustomize', join(root, 'manifests')]));
  const byKey = (all: readonly KubernetesObject[]) =>
    Object.fromEntries(all.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
  t.deepEqual(byKey(built), byKey(objects));
});

test('an object with a field that the API server does not know is rejected', async (t) => {
  t.timeout(patient);
  const [object] = (await render('gatewright')).filter(({ kind }) => kind === 'Deployment');
  const spec = { ...(object?.spec as object), replica: 1 };
  const [rejection] = await rejections(t.context.api, [{ ...(object as KubernetesObject), spec }]);
  t.regex(rejection ?? '', /replica/);
});

const pods: Readonly<Record<string, () => Promise<KubernetesObject[]>>> = {
  'the chart': () => render('gatewright', valueSets.default),
  'the chart with a volume': () =>
    render('gatewright', { replicas: 1, persistence: { enabled: true, existingClaim: 'mine' } }),
  'the chart with everything on': () =>
    render('gatewright', {
      ...valueSets.everything,
      serviceAccount: { create: false, name: 'gatewright' },
      priorityClassName: '',
    }),
  'the manifests': async () => objectsOf(await readFile(installFile, 'utf8')),
};

for (const [name, objects] of Object.entries(pods)) {
  test(`a namespace that enforces the restricted standard takes the pod of ${name}`, async (t) => {
    t.timeout(patient);
    const workloads = (await objects()).filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind));
    const specs = workloads.map(({ spec }) => spec);
    const [{ template }] = specs as [{ readonly template: { readonly spec: object } }];
    const pod = (spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name: 'tried' }, spec });
    t.deepEqual(await rejections(t.context.api, [pod(template.spec)]), []);
    const error = await t.throwsAsync(tryOut(t.context.api, pod({ ...template.spec, hostNetwork: true })), {
      instanceOf: KubeError,
    });
    t.regex(error?.message ?? '', /restricted/);
  });
}

const page = readFileSync(join(root, 'docs/install.md'), 'utf8');
/** A line of the install page, as its words. */
const lineOfPage = (start: string): string[] => {
  const line = page.split('\n').find((each) => each.startsWith(start));
  if (line === undefined) throw new Error(`docs/install.md has no line that begins with ${start}`);
  return line.replace(/ +#.*/, '').trim().split(/ +/);
};

test("the install page's Helm way takes over definitions that are there already", async (t) => {
  t.timeout(patient);
  const { client, kubeconfig } = t.context.api;
  const [, ...words] = lineOfPage('helm upgrade --install gatewright-crds ');
  const line = words.map((word) => (word.startsWith('charts/') ? join(root, word) : word));
  await helm([...line, '--kubeconfig', kubeconfig]);
  const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
  const { metadata } = await client.get(definitions, { name: 'dataplanes.gatewright.dev' });
  t.is(metadata.annotations?.['meta.helm.sh/release-name'], 'gatewright-crds');
});

test('crds/install --gateway-api, as on the install page, installs no definition of ours, and changes none that is there', async (t) => {
  t.timeout(patient);
  const [script = '', ...words] = lineOfPage('crds/install ');
  const env = {
    ...process.env,
    KUBECONFIG: t.context.api.kubeconfig,
    PATH: `${kubernetesDir()}:${process.env.PATH}`,
    DEFINITIONS: crdDir('standard'),
  };
  const once = () => promisify(execFile)(join(root, script), words, { env });
  const { stdout } = await once();
  t.regex(stdout, /customresourcedefinition\.apiextensions\.k8s\.io\/gateways\.gateway\.networking\.k8s\.io\n/);
  t.notRegex(stdout, /gatewright\.dev/);
  t.regex(
    (await once()).stdout,
    /^The Gateway API is installed already: v\S+, standard channel\. It was not changed\.\n$/,
  );
});

test('Helm installs the chart, changes everything about it, takes that back, and leaves nothing', async (t) => {
  t.timeout(patient);
  const { client, kubeconfig } = t.context.api;
  const place = ['--kubeconfig', kubeconfig, '--namespace', 'tried'];
  const deployments = { group: 'apps', version: 'v1', plural: 'deployments' };
  const replicas = async () => {
    const { spec } = await client.get(deployments, { namespace: 'tried', name: 'edge-gatewright' });
    return (spec as { readonly replicas: number }).replicas;
  };
  const upgrade = ['upgrade', '--install', 'edge', chartPath('gatewright'), ...place, '--create-namespace', '-f', '-'];
  t.regex(await helm(upgrade), /kubectl -n tried rollout status deployment edge-gatewright/);
  t.is(await replicas(), 2);
  await helm(upgrade, { ...valueSets.everything, fullnameOverride: '' });
  t.is(await replicas(), 3);
  await helm(['rollback', 'edge', '1', ...place]);
  t.is(await replicas(), 2);
  await helm(['uninstall', 'edge', ...place]);
  t.deepEqual(await client.list(deployments, { namespace: 'tried' }), []);
  const roles = await client.list({ group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' });
  t.deepEqual(
    roles.filter(({ metadata }) => metadata.name.startsWith('edge-gatewright')),
    [],
  );
});
