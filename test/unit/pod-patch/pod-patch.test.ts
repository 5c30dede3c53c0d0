import type { V1Deployment, V1PodSpec } from '@kubernetes/client-node';
import test from 'ava';
import { deploymentOf } from '../../../src/infrastructure/deployment.ts';
import { agentContainer, type Json, patched, podPatchFault } from '../../../src/pod-patch/index.ts';
import { gatewayProxies, settings } from '../infrastructure/gateway.ts';

const podOf = (podPatch: Json): V1PodSpec => {
  const parameters = { podPatch } as never;
  const deployment = deploymentOf(gatewayProxies({ parameters }), settings) as unknown as V1Deployment;
  return deployment.spec?.template.spec as V1PodSpec;
};
const agent = (more: Json): Json => ({ containers: [{ name: agentContainer, ...more }] });
const sidecar = (more: Json = {}): Json => ({ containers: [{ name: 'side', image: 'side:1', ...more }] });
const context = (securityContext: unknown): Json => sidecar({ securityContext });

test('a patch adds volumes, variables, containers and what else it may, and leaves what is there', (t) => {
  const patch = {
    volumes: [{ name: 'geo', persistentVolumeClaim: { claimName: 'geo' } }],
    hostAliases: [{ ip: '192.0.2.1', hostnames: ['a.test'] }],
    dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
    securityContext: { fsGroup: 1000, sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] },
    initContainers: [{ name: 'warm', image: 'warm:1' }],
    containers: [
      {
        name: agentContainer,
        env: [{ name: 'TEAM', value: 'shop' }],
        volumeMounts: [
          { name: 'geo', mountPath: '/geo', readOnly: true },
          { name: 'geo', mountPath: '/geo-too' },
        ],
      },
      { name: 'side', image: 'side:1', securityContext: { runAsUser: 1000 } },
    ],
  };
  t.is(podPatchFault(patch), undefined);
  const [before, pod] = [podOf({}), podOf(patch)];
  t.deepEqual(pod.volumes, [...(before.volumes ?? []), ...patch.volumes]);
  t.like(pod, { hostAliases: patch.hostAliases, dnsConfig: patch.dnsConfig, automountServiceAccountToken: false });
  t.like(pod.securityContext, { runAsNonRoot: true, fsGroup: 1000 });
  t.deepEqual(
    pod.securityContext?.sysctls?.map(({ name }) => name),
    ['net.ipv4.ip_unprivileged_port_start', 'net.ipv4.tcp_syncookies'],
  );
  const [ours, side] = pod.containers;
  t.deepEqual(ours?.env, [...(before.containers[0]?.env ?? []), { name: 'TEAM', value: 'shop' }]);
  t.is(ours?.volumeMounts?.length, (before.containers[0]?.volumeMounts?.length ?? 0) + 2);
  t.deepEqual(ours?.args, before.containers[0]?.args);
  const secured = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true };
  t.deepEqual(side?.securityContext, { ...secured, runAsUser: 1000 });
  t.deepEqual(pod.initContainers?.[0]?.securityContext, secured);
});

test('an empty patch changes nothing', (t) => {
  t.deepEqual(podOf({}), (deploymentOf(gatewayProxies(), settings) as unknown as V1Deployment).spec?.template.spec);
});

test('elements of lists are found by their merge key, and put behind the others where there is none', (t) => {
  const base = {
    env: [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ],
    args: ['x'],
    dnsConfig: { options: [1], searches: ['s'] },
  };
  const patch = { env: [{ name: 'b', value: '3' }, { name: 'c' }], args: ['y'], dnsConfig: { options: [2] } };
  t.deepEqual(patched(base, patch), {
    env: [{ name: 'a', value: '1' }, { name: 'b', value: '3' }, { name: 'c' }],
    args: ['y'],
    dnsConfig: { options: [2], searches: ['s'] },
  });
});

const rejected = test.macro((t, patch: Json, message: RegExp) => {
  t.regex(podPatchFault(patch) ?? '', message);
});

// Fields with a field of their own, or that the agent depends on.
for (const field of [
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'serviceAccountName',
  'automountServiceAccountToken',
  'nodeName',
  'tolerations',
  'ephemeralContainers',
  'hostUsers',
  'terminationGracePeriodSeconds',
])
  test(
    `a field that cannot be patched: ${field}`,
    rejected,
    { [field]: true },
    new RegExp(`^podPatch\\.${field} cannot be patched`),
  );

// The pod security standard, of a container that is added, of the agent's, and of one before both.
const contexts: readonly (readonly [string, unknown, RegExp])[] = [
  ['privileged', { privileged: true }, /privileged must be false/],
  ['escalation', { allowPrivilegeEscalation: true }, /allowPrivilegeEscalation must be false/],
  ['escalation by default', { allowPrivilegeEscalation: null }, /is null/],
  ['root', { runAsUser: 0 }, /runAsUser must not be root/],
  ['root in words', { runAsUser: '0' }, /runAsUser must not be root/],
  ['perhaps root', { runAsNonRoot: false }, /runAsNonRoot must be true/],
  ['a capability', { capabilities: { add: ['SYS_ADMIN'] } }, /capabilities add may have NET_BIND_SERVICE only/],
  ['capabilities kept', { capabilities: { drop: [] } }, /capabilities drop must have ALL/],
  ['capabilities by default', { capabilities: { drop: null } }, /is null/],
  ['no seccomp', { seccompProfile: { type: 'Unconfined' } }, /seccompProfile type must be/],
  ['no AppArmor', { appArmorProfile: { type: 'Unconfined' } }, /appArmorProfile type must be/],
  ['SELinux', { seLinuxOptions: { type: 'spc_t' } }, /seLinuxOptions type must be/],
  ['SELinux user', { seLinuxOptions: { user: 'system_u' } }, /seLinuxOptions user must not be set/],
  ['proc', { procMount: 'Unmasked' }, /procMount must be "Default"/],
  ['a process of the host', { windowsOptions: { hostProcess: true } }, /hostProcess must be false/],
  ['no object', 'privileged', /securityContext\.must be an object/],
];
for (const [name, securityContext, message] of contexts) {
  test(`${name}, of a container`, rejected, context(securityContext), message);
  test(`${name}, of the agent`, rejected, agent({ securityContext }), message);
  test(
    `${name}, of an init container`,
    rejected,
    { initContainers: [{ name: 'i', image: 'i', securityContext }] },
    message,
  );
}
test(
  'root for all',
  rejected,
  { securityContext: { runAsUser: 0 } },
  /^podPatch\.securityContext\.runAsUser must not be root/,
);
test('no seccomp for all', rejected, { securityContext: { seccompProfile: { type: 'Unconfined' } } }, /seccompProfile/);
test('no security context at all', rejected, { securityContext: null }, /is null/);
test(
  'a sysctl of the node',
  rejected,
  { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
  /sysctls has "kernel\.msgmax"/,
);
test(
  'our sysctl',
  rejected,
  { securityContext: { sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '1024' }] } },
  /sysctls has/,
);
test(
  'a folder of the node',
  rejected,
  { volumes: [{ name: 'a', hostPath: { path: '/' } }] },
  /volumes\[a\]\.hostPath is no volume/,
);
test(
  'a volume by NFS',
  rejected,
  { volumes: [{ name: 'a', emptyDir: {}, nfs: {} }] },
  /volumes\[a\]\.nfs is no volume/,
);
test(
  'a port of the node',
  rejected,
  sidecar({ ports: [{ containerPort: 1, hostPort: 1 }] }),
  /hostPort must not be set/,
);
test(
  'a probe of another host',
  rejected,
  sidecar({ livenessProbe: { httpGet: { host: '169.254.169.254', port: 80 } } }),
  /must not set host/,
);
test(
  'a hook to another host',
  rejected,
  sidecar({ lifecycle: { preStop: { tcpSocket: { host: 'a', port: 80 } } } }),
  /must not set host/,
);

// What the agent depends on.
for (const field of ['image', 'command', 'args', 'livenessProbe', 'lifecycle', 'ports', 'resources'])
  test(
    `of the agent: ${field}`,
    rejected,
    agent({ [field]: {} }),
    new RegExp(`containers\\[data-plane\\]\\.${field} (cannot be patched|must be a list)`),
  );
test(
  'its name',
  rejected,
  agent({ env: [{ name: 'SVC_GW_NODE_ID', value: 'other' }] }),
  /SVC_GW_NODE_ID is the agent's/,
);
test(
  'code in it',
  rejected,
  agent({ env: [{ name: 'NODE_OPTIONS', value: '--require=/x' }] }),
  /NODE_OPTIONS is the agent's/,
);
for (const mountPath of [
  '/etc/gatewright',
  '/etc',
  '/tmp/../etc/gatewright',
  '//tmp//x',
  '/',
  '/var/run/secrets/gatewright/token',
  '/opt/./envoy',
])
  test(
    `a mount over its files: ${mountPath}`,
    rejected,
    agent({ volumeMounts: [{ name: 'a', mountPath }] }),
    /conflicts with the agent's files/,
  );
test(
  'its volume',
  rejected,
  { volumes: [{ name: 'xds', emptyDir: {} }] },
  /volumes\[xds\]\.name is that of a volume of the agent/,
);
test(
  'the container that copies Envoy',
  rejected,
  { initContainers: [{ name: 'envoy', image: 'other' }] },
  /name is that of a container of ours/,
);

// What no merge makes sense of.
/** An object in an object in an object. */
const nested = (levels: number): object =>
  Array.from({ length: levels }).reduce<object>((inner) => ({ a: inner }), { a: 'end' });

for (const levels of [33, 100_000]) {
  test(
    `${levels} levels in a volume`,
    rejected,
    { volumes: [{ name: 'v', emptyDir: nested(levels) }] },
    /is deeper than 32 levels/,
  );
}

test('a directive', rejected, { containers: [{ name: agentContainer, $patch: 'delete' }] }, /\$patch is a directive/);
test('a directive beside', rejected, { '$setElementOrder/containers': [] }, /cannot be patched|directive/);
test('an element without a name', rejected, { containers: [{ image: 'a' }] }, /containers has an element without name/);
test('two of one name', rejected, { volumes: [{ name: 'a' }, { name: 'a' }] }, /volumes has a twice/);
test('no list', rejected, { containers: { name: 'a' } }, /containers must be a list/);
// Such an object cannot become a text.
const odd = { toString: 1 };
test(
  'a name that is an object',
  rejected,
  { volumes: [{ name: odd }] },
  /volumes has an element whose name is no text/,
);
test(
  'a port that is an object',
  rejected,
  sidecar({ ports: [{ containerPort: odd }] }),
  /whose containerPort is no text/,
);
test('a field with the name of a method', rejected, { containers: odd }, /podPatch.containers must be a list/);
test('a list of texts', rejected, { volumes: ['a'] }, /volumes has an element without name/);
