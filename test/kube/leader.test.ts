import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { buildAddOns } from '../../src/app/addons/build-add-ons.ts';
import type { ControlPlane } from '../../src/app/control-plane/index.ts';
import { startOperator } from '../../src/app/operator/index.ts';
import { type Lease, leaseType } from '../../src/cluster/leader/lease.ts';
import { loadConfig } from '../../src/config/index.ts';
import { kinds } from '../../src/gateway-api/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { KubeApiServer } from '../support/kube-apiserver.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { untilFits } from '../support/until.ts';

/** Two control planes, which the audit log names by their users. */
const replicas = ['replica-1', 'replica-2'] as const;
type Replica = (typeof replicas)[number];

const test = anyTest as TestFn<{ api: KubeApiServer; directory: string; audit: string }>;
const namespace = 'gatewright-system';
const lease = { namespace, name: 'gatewright-leader' };
const patient = 600_000;

test.before(async (t) => {
  t.timeout(patient);
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-leader-'));
  const policy = join(directory, 'audit-policy.yaml');
  const audit = join(directory, 'audit.log');
  await writeFile(
    policy,
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- {level: Metadata, verbs: [create, update, patch, delete]}\n- {level: None}\n',
  );
  const api = await KubeApiServer.start({
    users: replicas,
    args: [`--audit-policy-file=${policy}`, `--audit-log-path=${audit}`, '--audit-log-mode=blocking-strict'],
  });
  t.context = { api, directory, audit };
  for (const plural of ['gatewayclasses', 'gateways', 'httproutes'])
    await api.installCrd(`${plural}.gateway.networking.k8s.io`);
  await api.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${namespace}}}`);
  await api.apply(await readFile(new URL('../../rbac/control-plane.yaml', import.meta.url), 'utf8'));
  const subjects = JSON.stringify(
    replicas.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
  );
  const bind = (kind: 'ClusterRole' | 'Role', role: string, metadata: string) =>
    api.apply(
      `{apiVersion: rbac.authorization.k8s.io/v1, kind: ${kind}Binding, metadata: ${metadata}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ${kind}, name: ${role}}, subjects: ${subjects}}`,
    );
  for (const role of ['cluster', 'reader', 'status-writer', 'infrastructure-writer'])
    await bind('ClusterRole', `gatewright-${role}`, `{name: replicas-${role}}`);
  await bind('Role', 'gatewright', `{name: replicas, namespace: ${namespace}}`);
});
test.after.always(async (t) => {
  await t.context.api?.stop();
  if (t.context.directory) await rm(t.context.directory, { recursive: true, force: true });
});

/** A control plane as in a pod, whose line to the API server can be cut. */
class Running {
  readonly name: Replica;
  readonly proxy: TcpProxy;
  readonly control: ControlPlane;
  readonly #stop: () => Promise<void>;

  constructor(name: Replica, proxy: TcpProxy, control: ControlPlane) {
    this.name = name;
    this.proxy = proxy;
    this.control = control;
    let stopped: Promise<void> | undefined;
    this.#stop = () => {
      stopped ??= control.stop();
      return stopped;
    };
  }

  static async start(t: ExecutionContext<{ api: KubeApiServer; directory: string }>, name: Replica): Promise<Running> {
    const { api, directory } = t.context;
    const proxy = await TcpProxy.start(api.port);
    const kubeconfig = join(directory, `${name}.kubeconfig`);
    await writeFile(kubeconfig, api.kubeConfigOf(name, `https://127.0.0.1:${proxy.port}`).exportConfig());
    const file = join(directory, `${name}.yaml`);
    await writeFile(file, configuration(kubeconfig));
    const parts = {
      config: loadConfig(file, {}),
      logger: createLogger({ level: 'silent' }),
      version: 'test',
      env: {},
    };
    const control = await startOperator(parts, { buildAddOns });
    const running = new Running(name, proxy, control);
    t.teardown(async () => {
      proxy.heal();
      await running.stop();
      await proxy[Symbol.asyncDispose]();
    });
    return running;
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  async isLeader(): Promise<boolean> {
    const response = await fetch(`http://127.0.0.1:${this.control.ports.layout1}/v1/summary`);
    const { leader } = (await response.json()) as { leader: { isLeader: boolean } };
    return leader.isLeader;
  }

  async metric(): Promise<string | undefined> {
    return /^gatewright_leader (\d)$/m.exec(await this.scrape())?.[1];
  }

  async scrape(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.control.ports.metrics}/metrics`);
    return await response.text();
  }
}

const configuration = (kubeconfig: string): string => `
source: {kubernetes: {kubeconfig: ${kubeconfig}}}
xds: {listen: "127.0.0.1:0", insecure: true}
admin: {listen: "127.0.0.1:0", layout2Listen: "127.0.0.1:0"}
metrics: {listen: "127.0.0.1:0"}
infrastructure: {image: none}
leaderElection: {namespace: ${namespace}, leaseDuration: 20s, renewDeadline: 14s, retryPeriod: 1s}
`;

const leads = (running: Running) =>
  untilFits(
    `${running.name} to lead`,
    () => running.isLeader(),
    (isLeader) => isLeader,
  );

const classOf = (name: string): string =>
  `{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: ${name}}, spec: {controllerName: gatewright.dev/gateway-controller}}`;
const gatewayOf = (name: string): string =>
  `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ${name}, namespace: default}, spec: {gatewayClassName: class, listeners: [{name: http, port: 80, protocol: HTTP}]}}`;

const accepted = (api: KubeApiServer, name: string) =>
  untilFits(
    `GatewayClass ${name} to be accepted`,
    () => api.client.find(kinds.GatewayClass, { name }),
    (object) =>
      (object?.status as { conditions?: { reason: string }[] } | undefined)?.conditions?.[0]?.reason === 'Accepted',
  );

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef: { readonly resource: string; readonly subresource?: string; readonly name?: string };
  readonly responseStatus: { readonly code: number };
  readonly stageTimestamp: string;
}

/** What the replicas wrote, in the order in which the API server was done with it. */
async function writesOf(path: string): Promise<AuditEvent[]> {
  const events = (await readFile(path, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditEvent);
  return (
    events
      .filter(
        ({ user, responseStatus }) => replicas.some((name) => name === user.username) && responseStatus.code < 300,
      )
      // A question of what one may do is a POST, and changes nothing.
      .filter(({ objectRef }) => objectRef.resource !== 'selfsubjectaccessreviews')
      .sort((a, b) => a.stageTimestamp.localeCompare(b.stageTimestamp))
  );
}

test.serial('of two control planes one writes, whatever happens between them and the API server', async (t) => {
  t.timeout(patient);
  const { api, audit } = t.context;
  await api.apply(classOf('class'));
  const first = await Running.start(t, 'replica-1');
  await leads(first);
  const second = await Running.start(t, 'replica-2');
  await accepted(api, 'class');
  await api.apply(gatewayOf('edge'));
  await untilFits(
    'both to have published',
    async () => [first.control.graph.snapshot()?.counts.gateways, second.control.graph.snapshot()?.counts.gateways],
    (counts) => counts.every((count) => count === 1),
  );
  t.deepEqual(first.control.graph.snapshot()?.id, second.control.graph.snapshot()?.id, 'the same snapshot');
  t.deepEqual([await first.metric(), await second.metric()], ['1', '0']);
  const written = /^gatewright_status_writes_total\{kind="GatewayClass",result="written"\} [1-9]/m;
  // Others see the status before the answer has come to its writer, who counts it then.
  await untilFits(
    'the status to be counted by its writer',
    () => first.scrape(),
    (text) => written.test(text),
  );
  t.notRegex(await second.scrape(), written);

  first.proxy.silence();
  await leads(second);
  t.false(await first.isLeader(), 'a leader that is cut off has stopped before');
  await api.apply(classOf('while-cut-off'));
  await accepted(api, 'while-cut-off');

  first.proxy.heal();
  await untilFits(
    'the first to be back',
    () => first.control.graph.find('GatewayClass', 'while-cut-off'),
    (object) => object !== undefined,
  );
  t.regex(await first.scrape(), /^gatewright_watch_restarts_total\{kind="GatewayClass",reason="\w+"\} [1-9]/m);
  await api.apply(classOf('after'));
  await accepted(api, 'after');
  t.true(await second.isLeader(), 'who comes back takes nothing away');

  const former = await holderOf(api);
  await second.stop();
  t.not(await holderOf(api), former, 'it gives the lease back, so that no other waits for its end');
  await leads(first);
  await api.apply(classOf('last'));
  await accepted(api, 'last');

  let holder: string | undefined;
  const writers = new Set<string>();
  for (const { user, objectRef, verb } of await writesOf(audit)) {
    if (objectRef.resource === 'leases') holder = user.username;
    else {
      writers.add(user.username);
      t.is(holder, user.username, `${verb} of ${objectRef.resource}/${objectRef.name} by who holds the lease`);
    }
  }
  t.deepEqual([...writers].sort(), [...replicas]);
});

const holderOf = async ({ client }: KubeApiServer): Promise<string | undefined> =>
  (await client.get<Lease>(leaseType, lease)).spec?.holderIdentity;
