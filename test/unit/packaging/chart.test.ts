import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import { parse } from 'yaml';
import { configSchemaFile } from '../../../scripts/generate/config-schema.ts';
import { baseFiles, ingressFile, peopleRolesPath, resourceWriterFile } from '../../../scripts/generate/packaging.ts';
import { root } from '../../../scripts/paths.mjs';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import { valueSets } from '../../support/chart-values.ts';
import { chartPath, helm, render, type Values } from '../../support/helm.ts';
import { objectsOf } from '../../support/manifests.ts';
import { every, thorough } from '../../support/repetitions.ts';

const acceptsConfig = new Ajv2020({ strict: true, strictTypes: false }).compile(JSON.parse(configSchemaFile()));
const filesOf = (paths: readonly string[]): KubernetesObject[] =>
  paths.flatMap((path) => objectsOf(readFileSync(join(root, path), 'utf8')));
const manifests = () => filesOf(baseFiles('manifests'));

function find(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name} among ${objects.map((each) => each.kind).join(', ')}`);
  return found;
}

interface RoleRules {
  readonly rules: object;
}

/** Rules by role; names as in rbac/. */
const rulesOf = (objects: readonly KubernetesObject[]): Record<string, object> =>
  Object.fromEntries(
    objects
      .filter(({ kind }) => ['Role', 'ClusterRole'].includes(kind))
      .map((role) => [`${role.kind} ${role.metadata.name}`, (role as unknown as RoleRules).rules]),
  );

/** What the installer binds people to, and never the control plane. */
const forPeople = [
  'ClusterRole gatewright-admin-reader',
  'ClusterRole gatewright-admin-writer',
  'Role gatewright-admin-connect',
  'Role gatewright-admin-token',
];

interface Binding {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

test('the rights of chart, manifests and rbac/ are the same', async (t) => {
  const desired = rulesOf(filesOf(baseFiles('rbac')));
  t.true(Object.keys(desired).length >= 5);
  const chart = await render('gatewright');
  t.deepEqual(rulesOf(chart), desired);
  t.deepEqual(rulesOf(manifests()), desired);
  const writer = rulesOf(filesOf([resourceWriterFile]));
  t.deepEqual(rulesOf(await render('gatewright', { rbac: { resourceWriter: true } })), { ...desired, ...writer });
  const ofIngresses = rulesOf(filesOf([ingressFile]));
  const serving = await render('gatewright', { config: { ingress: { enabled: true } } });
  t.deepEqual(rulesOf(serving), { ...desired, ...ofIngresses });
  for (const objects of [chart, manifests()]) {
    const bindings = objects.filter(({ kind }) => kind.endsWith('Binding')) as unknown as Binding[];
    t.deepEqual(
      bindings.map(({ roleRef }) => `${roleRef.kind} ${roleRef.name}`).sort(),
      Object.keys(desired)
        .filter((name) => !forPeople.includes(name))
        .sort(),
    );
    for (const { subjects } of bindings)
      t.deepEqual(subjects, [{ kind: 'ServiceAccount', name: 'gatewright', namespace: 'gatewright-system' }]);
  }
});

test('only the resource writer may write what users declare, and chart and manifests leave it out unless asked', async (t) => {
  const all = filesOf([...baseFiles('rbac'), resourceWriterFile, ingressFile]);
  const writers = Object.entries(rulesOf(all)).filter(([, rules]) =>
    (rules as { apiGroups?: string[]; resources?: string[]; verbs: string[] }[]).some(
      ({ apiGroups = [], resources = [], verbs }) =>
        apiGroups.some((group) => group.startsWith('gateway.networking.')) &&
        resources.some((resource) => !resource.includes('/')) &&
        verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)),
    ),
  );
  t.deepEqual(
    writers.map(([name]) => name),
    ['ClusterRole gatewright-resource-writer'],
  );
  for (const objects of [await render('gatewright'), manifests()]) {
    t.false('ClusterRole gatewright-resource-writer' in rulesOf(objects));
    t.false(JSON.stringify(objects).includes('resource-writer'));
  }
});

thorough(test)(
  'roles that extend those of Kubernetes come on request only, and leave out what runs on nodes',
  async (t) => {
    const roles = filesOf([peopleRolesPath]);
    const plain = await render('gatewright');
    for (const { metadata } of roles)
      t.false(
        plain.some(({ kind, metadata: { name } }) => kind === 'ClusterRole' && name === metadata.name),
        metadata.name,
      );
    const asked = await render('gatewright', { rbac: { aggregateRoles: true } });
    for (const role of roles) {
      const { metadata, ...object } = find(asked, 'ClusterRole', role.metadata.name);
      t.deepEqual((object as unknown as RoleRules).rules, (role as unknown as RoleRules).rules);
      t.like({ ...metadata.labels }, { ...role.metadata.labels });
    }
    const written = Object.values(rulesOf(roles)).flatMap((rules) =>
      (rules as { resources: string[]; verbs: string[] }[]).flatMap(({ resources, verbs }) =>
        verbs.includes('create') ? resources : [],
      ),
    );
    t.true(written.includes('httproutes'));
    t.false(written.some((resource) => ['dataplanes', 'gatewayclasses'].includes(resource)));
  },
);

test('what values say of proxies is a DataPlane that the class names', async (t) => {
  const spec = { resources: { requests: { cpu: '500m' } }, autoscaling: { maxReplicas: 10 } };
  const objects = await render('gatewright', { dataplane: { spec } }, { release: 'edge', namespace: 'infra' });
  const dataPlane = find(objects, 'DataPlane', 'edge-gatewright');
  t.deepEqual((dataPlane as unknown as { readonly spec: object }).spec, spec);
  t.is(dataPlane.metadata.namespace, 'infra');
  const ref = { group: 'gatewright.dev', kind: 'DataPlane', name: 'edge-gatewright', namespace: 'infra' };
  t.like(find(objects, 'GatewayClass', 'gatewright'), { spec: { parametersRef: ref } });
  const both = { gatewayClass: { parametersRef: { ...ref, name: 'mine' } }, dataplane: { spec } };
  await t.throwsAsync(render('gatewright', both), { message: /remove one of the two/ });
});

thorough(test)('more objects of the release are templates', async (t) => {
  const objects = await render('gatewright', valueSets.everything, { release: 'edge', namespace: 'infra' });
  const { metadata, data } = find(objects, 'ConfigMap', 'more') as KubernetesObject & { readonly data: object };
  t.is(metadata.namespace, 'infra');
  t.deepEqual(data, { release: 'edge' });
});

test('no role has a wildcard, may escalate or writes Secrets of all namespaces', (t) => {
  for (const [name, rules] of Object.entries(rulesOf(filesOf(baseFiles('rbac'))))) {
    for (const { resources = [], verbs } of rules as { resources?: string[]; verbs: string[] }[]) {
      t.false([...resources, ...verbs].includes('*'), name);
      t.false(
        verbs.some((verb) => ['escalate', 'bind', 'impersonate'].includes(verb)),
        name,
      );
      if (name.startsWith('ClusterRole') && resources.includes('secrets'))
        t.deepEqual(
          verbs.filter((verb) => !['get', 'list', 'watch'].includes(verb)),
          [],
          name,
        );
    }
  }
});

interface PodTemplate {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly Readonly<Record<string, unknown>>[] } & Readonly<
    Record<string, unknown>
  >;
}

const templateOf = (objects: readonly KubernetesObject[], name = 'gatewright'): PodTemplate =>
  (find(objects, 'Deployment', name).spec as { template: PodTemplate }).template;

test('the pod of the chart is the pod of the manifests', async (t) => {
  const { topologySpreadConstraints, containers, ...pod } = templateOf(await render('gatewright')).spec;
  const { containers: desired, topologySpreadConstraints: _, ...rest } = templateOf(manifests()).spec;
  t.deepEqual(pod, rest);
  t.deepEqual(
    containers.map(({ imagePullPolicy: _, ...container }) => container),
    desired.map(({ imagePullPolicy: _, ...container }) => container),
  );
  t.is((topologySpreadConstraints as unknown[]).length, 2);
});

test('the Services of the chart have the ports of the manifests', async (t) => {
  const portsOf = (objects: readonly KubernetesObject[]) =>
    Object.fromEntries(
      objects
        .filter(({ kind }) => kind === 'Service')
        .map(({ metadata, spec }) => [metadata.name, (spec as { ports: object }).ports]),
    );
  t.deepEqual(portsOf(await render('gatewright')), portsOf(manifests()));
});

test('who may reach the control plane is the same in chart and manifests', async (t) => {
  const ingressOf = (objects: readonly KubernetesObject[]) =>
    (find(objects, 'NetworkPolicy', 'gatewright').spec as { ingress: object }).ingress;
  t.deepEqual(ingressOf(await render('gatewright')), ingressOf(manifests()));
});

/** The configuration file in the release's ConfigMap. */
function configOf(objects: readonly KubernetesObject[], name = 'gatewright'): Record<string, Record<string, unknown>> {
  const { data } = find(objects, 'ConfigMap', name) as unknown as { data: Record<string, string> };
  return parse(data['config.yaml'] ?? '');
}

test('the configuration of the chart is that of the manifests', async (t) => {
  t.deepEqual(configOf(await render('gatewright')), configOf(manifests()));
});

for (const [name, values] of every(2, Object.entries(valueSets))) {
  test(`the control plane takes the configuration that the chart makes with these values: ${name}`, async (t) => {
    const objects = await render('gatewright', values);
    const config = configOf(objects, name === 'everything' ? 'edge' : 'gatewright');
    t.true(acceptsConfig(config), JSON.stringify(acceptsConfig.errors));
  });
}

thorough(test)(
  'names of the release are in the configuration, and what `config` says goes before everything',
  async (t) => {
    const config = configOf(
      await render(
        'gatewright',
        { config: { xds: { insecure: false }, infrastructure: { replicas: 0 } } },
        { release: 'edge', namespace: 'network' },
      ),
      'edge-gatewright',
    );
    t.is(config.infrastructure?.xdsAddress, 'edge-gatewright.network.svc:18080');
    t.is(config.leaderElection?.id, 'edge-gatewright-leader');
    t.is(config.infrastructure?.replicas, 0);
    t.is(config.xds?.insecure, false);
  },
);

test('agents of proxies are reached by who is named for metrics, and by all namespaces where they are monitored', async (t) => {
  const policyOf = async (values: Values) => configOf(await render('gatewright', values)).infrastructure?.networkPolicy;
  const podMonitor = { enabled: true };
  const peer = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
  t.deepEqual(await policyOf({}), { enabled: true, metricsFrom: [] });
  t.deepEqual(await policyOf({ metrics: { podMonitor } }), { enabled: true, metricsFrom: [{ namespaceSelector: {} }] });
  t.deepEqual(await policyOf({ metrics: { podMonitor }, networkPolicy: { metricsFrom: [peer] } }), {
    enabled: true,
    metricsFrom: [peer],
  });
  t.like(await policyOf({ networkPolicy: { enabled: false } }), { enabled: false });
});

test('the admin API asks for a token that the control plane makes, unless values say otherwise', async (t) => {
  const authOf = async (values: Values) => configOf(await render('gatewright', values)).adminAuth;
  t.deepEqual(await authOf({}), { tokenSecret: 'gatewright-admin-token' });
  t.deepEqual(await authOf({ adminAuth: { open: true } }), { open: true });
  t.deepEqual(await authOf({ adminAuth: { existingSecret: 'mine' } }), {
    bearerTokenFile: '/etc/gatewright-admin/token',
  });
  t.deepEqual(await authOf({ config: { adminAuth: { bearerTokenFile: '/mine' } } }), { bearerTokenFile: '/mine' });
  t.deepEqual(await authOf({ adminAuth: { kubernetes: { enabled: true } } }), {
    kubernetes: { enabled: true, audiences: [] },
    tokenSecret: 'gatewright-admin-token',
  });
  for (const objects of [await render('gatewright'), manifests()])
    t.is(templateOf(objects).metadata.annotations['gatewright.dev/admin-token-secret'], 'gatewright-admin-token');
  // No token, constant or random, is in what is shipped: it would be known, or another one with each rendering.
  const secrets = [...manifests(), ...(await render('gatewright'))].filter(({ kind }) => kind === 'Secret');
  t.deepEqual([...new Set(secrets.map(({ metadata }) => metadata.name))], ['gatewright-settings']);
});

test('the token that may be read and made is the one of the configuration', async (t) => {
  const objects = await render('gatewright', { config: { adminAuth: { tokenSecret: 'mine' } } });
  const names = (
    find(objects, 'Role', 'gatewright') as unknown as { rules: { resourceNames?: string[] }[] }
  ).rules.flatMap(({ resourceNames = [] }) => resourceNames);
  t.true(names.includes('mine'));
  t.false(names.includes('gatewright-admin-token'));
});

test('the lease that may be written is the one of the configuration', async (t) => {
  const objects = await render('gatewright', { config: { leaderElection: { id: 'mine', namespace: 'leases' } } });
  const roles = objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'gatewright');
  t.true(roles.some(({ metadata }) => metadata.namespace === 'leases'));
  for (const role of roles) {
    const leases = (role as unknown as { rules: { resources: string[]; resourceNames?: string[] }[] }).rules
      .filter(({ resources }) => resources.includes('leases'))
      .flatMap(({ resourceNames = [] }) => resourceNames);
    t.deepEqual(leases, ['mine']);
  }
});

thorough(test)('pods are replaced when the configuration changes, but not for a log level', async (t) => {
  const sum = async (config: Values) =>
    templateOf(await render('gatewright', { config })).metadata.annotations['checksum/config'];
  const plain = await sum({});
  t.is(await sum({ log: { level: 'debug' } }), plain);
  t.not(await sum({ log: { format: 'pretty' } }), plain);
  t.not(await sum({ debounce: { quietMs: 5 } }), plain);
});

thorough(test)(
  'the session key comes from given Secrets, else from those of the chart, else from nowhere',
  async (t) => {
    const made = async (session_persistence: Values) => {
      const objects = await render('gatewright', { dataplane: { session_persistence } });
      const secrets = objects.filter(
        ({ kind, metadata }) => kind === 'Secret' && metadata.name !== 'gatewright-settings',
      );
      return {
        named: configOf(objects).infrastructure?.sessionPersistence,
        secrets: secrets.map(({ metadata: { namespace, name }, ...rest }) => [
          `${namespace}/${name}`,
          (rest as unknown as { data: object }).data,
        ]),
      };
    };
    const shared_secret = 'x'.repeat(32);
    t.deepEqual(await made({}), { named: undefined, secrets: [] });
    t.deepEqual(await made({ existing_secret: 'mine', shared_secret }), {
      named: { existingSecret: 'mine' },
      secrets: [],
    });
    const name = 'gatewright-session-persistence';
    const data = { key: Buffer.from(shared_secret).toString('base64') };
    t.deepEqual(await made({ shared_secret, namespaces: ['shop', 'blog'] }), {
      named: { existingSecret: name },
      secrets: [
        [`shop/${name}`, data],
        [`blog/${name}`, data],
      ],
    });
  },
);

const rejected: Readonly<Record<string, readonly [Values, RegExp]>> = {
  'an unknown value': [{ replica: 1 }, /replica/],
  'an unknown value below': [{ image: { name: 'a' } }, /name/],
  'a wrong type': [{ replicas: 'two' }, /replicas[\s\S]*(integer|string)/],
  'a type of Service that there is not': [{ dataplane: { serviceType: 'Ingress' } }, /serviceType/],
  'a token in plain sight': [{ adminAuth: { bearerToken: 'secret' } }, /name that in adminAuth\.existingSecret/],
  'a node id for all proxies': [{ dataplane: { config: { node_id: 'a' } } }, /the node id is the name of the pod/],
  'a node id in the configuration': [{ config: { dataplane: { config: { nodeId: 'a' } } } }, /the name of the pod/],
  'an obsolete variable for the node id': [{ dataplane: { nodeIdEnv: 'NODE_ID' } }, /obsolete/],
  'an obsolete name of the session key': [
    { dataplane: { session_persistence: { sharedSecretFile: '/key' } } },
    /name the Secret in existing_secret/,
  ],
  'a session key that can be guessed': [
    { dataplane: { session_persistence: { shared_secret: 'short', namespaces: ['a'] } } },
    /shared_secret/,
  ],
  'a session key for no namespace': [
    { dataplane: { session_persistence: { shared_secret: 'x'.repeat(32) } } },
    /namespaces/,
  ],
  'a runbook that is no address': [{ metrics: { prometheusRule: { runbookUrl: 'docs' } } }, /runbookUrl/],
};

for (const [what, [values, message]] of every(8, Object.entries(rejected))) {
  test(`the chart rejects ${what}`, async (t) => {
    const error = await t.throwsAsync(render('gatewright', values));
    t.regex(error?.message ?? '', message);
  });
}

test('protected metrics are scraped with a token, without which the chart does not render the monitor', async (t) => {
  const values = { metrics: { serviceMonitor: { enabled: true } }, config: { adminAuth: { protect: ['metrics'] } } };
  const error = await t.throwsAsync(render('gatewright', { ...values, adminAuth: { open: true } }));
  t.regex(error?.message ?? '', /set adminAuth\.existingSecret/);
  const generated = find(await render('gatewright', values), 'ServiceMonitor', 'gatewright').spec as {
    endpoints: object[];
  };
  t.like(generated.endpoints[0], {
    authorization: { credentials: { name: 'gatewright-admin-token', key: 'read-only-token' } },
  });
  const objects = await render('gatewright', { ...values, adminAuth: { existingSecret: 'tokens' } });
  const { endpoints } = find(objects, 'ServiceMonitor', 'gatewright').spec as { endpoints: object[] };
  t.like(endpoints[0], { authorization: { credentials: { name: 'tokens', key: 'token' } } });
});

thorough(test)('Helm finds nothing to complain about in the charts', async (t) => {
  for (const chart of ['gatewright', 'gatewright-crds'] as const)
    t.regex(await helm(['lint', '--strict', chartPath(chart)]), /1 chart\(s\) linted, 0 chart\(s\) failed/);
});

test('the definitions of the other chart are those of crds/, and stay when the release goes', async (t) => {
  const rendered = await render('gatewright-crds');
  const desired = filesOf(baseFiles('crds'));
  t.deepEqual(
    rendered.map(({ metadata, spec }) => [metadata.name, spec]),
    desired.map(({ metadata, spec }) => [metadata.name, spec]),
  );
  for (const { metadata } of rendered) t.is(metadata.annotations?.['helm.sh/resource-policy'], 'keep');
});

const persistent = { enabled: true, size: '500Mi', storageClass: 'fast' };

thorough(test)('with persistence each control plane has a volume of its own for what was used', async (t) => {
  const objects = await render('gatewright', { persistence: persistent });
  t.false(objects.some(({ kind }) => kind === 'Deployment'));
  const { spec } = find(objects, 'StatefulSet', 'gatewright') as unknown as { spec: Record<string, unknown> };
  t.like(spec, { replicas: 2, serviceName: 'gatewright-replicas', podManagementPolicy: 'Parallel' });
  t.true(objects.some(({ kind, metadata }) => kind === 'Service' && metadata.name === 'gatewright-replicas'));
  t.false('strategy' in spec, 'which a StatefulSet does not have');
  const [claim] = spec.volumeClaimTemplates as [{ readonly metadata: object; readonly spec: object }];
  t.like(claim, {
    metadata: { name: 'state' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'fast',
      resources: { requests: { storage: '500Mi' } },
    },
  });
  const pod = (spec.template as PodTemplate).spec;
  t.like(pod.securityContext, { runAsUser: 65532, fsGroup: 65532 });
  const mounts = pod.containers[0]?.volumeMounts as { readonly name: string; readonly mountPath: string }[];
  const mounted = mounts.find(({ name }) => name === 'state')?.mountPath;
  t.is(mounted, '/var/lib/gatewright');
  t.is(configOf(objects).state?.directory, mounted);
  t.is(configOf(objects).state?.secret, 'gatewright-settings', 'the rest of it stays');
  t.false('storageClassName' in volumeOf(await render('gatewright', { persistence: { enabled: true } })));
  t.is(configOf(await render('gatewright')).state?.directory, undefined);
});

const volumeOf = (objects: readonly KubernetesObject[]): object =>
  (find(objects, 'StatefulSet', 'gatewright').spec as { volumeClaimTemplates: [{ spec: object }] })
    .volumeClaimTemplates[0].spec;

thorough(test)('a volume that is there already is for one replica', async (t) => {
  const persistence = { enabled: true, existingClaim: 'mine' };
  const objects = await render('gatewright', { replicas: 1, persistence });
  const spec = find(objects, 'StatefulSet', 'gatewright').spec as { template: PodTemplate };
  t.false('volumeClaimTemplates' in spec);
  const volumes = spec.template.spec.volumes as { readonly name: string }[];
  t.like(
    volumes.find(({ name }) => name === 'state'),
    { persistentVolumeClaim: { claimName: 'mine' } },
  );
  await t.throwsAsync(render('gatewright', { persistence }), { message: /each replica needs a volume of its own/ });
  await t.throwsAsync(render('gatewright', { persistence: { enabled: true, size: 'a lot' } }), {
    message: /persistence.*size/s,
  });
  await t.throwsAsync(render('gatewright', { persistence: { enabled: true, accessMode: 'ReadWriteMany' } }), {
    message: /accessMode/,
  });
});
