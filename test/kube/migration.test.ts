import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { kubernetesDir } from '../../scripts/paths.mjs';
import { kinds } from '../../src/gateway-api/index.ts';
import { IngressNginxModel } from '../../src/ingress/index.ts';
import { startAgent } from '../support/agent-world.ts';
import { runCommand } from '../support/command.ts';
import { ControlPlaneProcess, freePorts } from '../support/control-plane-process.ts';
import { controller, worldOf } from '../support/ingress-world.ts';
import { KubeApiServer } from '../support/kube-apiserver.ts';
import { objectsOf, plainRows, startServices } from '../support/migration/company.ts';
import { company } from '../support/migration/teams.ts';
import { moveTraffic } from '../support/migration/traffic.ts';
import { startNginx } from '../support/nginx.ts';
import { serversText } from '../support/nginx-of-model.ts';
import { fileFor } from '../support/program.ts';
import { untilCurrent } from '../support/two-replicas.ts';
import { untilFits } from '../support/until.ts';

/*
 * The afternoon of docs/from-ingress-nginx.md in a cluster: sixty Ingresses of an API server are inventoried, converted, applied with kubectl, compared,
 * moved under traffic, and moved back.
 */

/** An address of this machine that EndpointSlices of a cluster may have, other than those of loopback. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const found = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) throw new Error('this machine has no IPv4 address but those of loopback');
  return found.address;
}

const gatewayClass = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'gatewright' },
  spec: { controllerName: 'gatewright.dev/gateway-controller' },
};

/** The controller's Deployment as an API server takes it. */
function complete(object: object): object {
  const { kind, spec } = object as { kind: string; spec: { template: { spec: { containers: object[] } } } };
  if (kind !== 'Deployment') return object;
  const labels = { app: 'controller' };
  const containers = spec.template.spec.containers.map((each) => ({ name: 'controller', ...each }));
  const template = { metadata: { labels }, spec: { containers } };
  return { ...object, spec: { selector: { matchLabels: labels }, template } };
}

/** The company's cluster, with definitions and namespaces. */
async function startCluster(t: ExecutionContext) {
  const api = await KubeApiServer.start({ crds: 'experimental' });
  t.teardown(() => api.stop());
  await api.installOwnCrds();
  const services = await startServices(t, company, ownAddress());
  const objects = [...controller(), ...objectsOf(company, services)].map(complete);
  const names = objects.flatMap(({ metadata }: { metadata?: { namespace?: string } }) => metadata?.namespace ?? []);
  for (const name of new Set(names))
    await api.apply(stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  for (const object of [gatewayClass, ...objects]) await api.apply(stringify(object));
  return { api, services, objects };
}

const versions = async ({ client }: KubeApiServer): Promise<readonly string[]> =>
  (await client.list(kinds.Ingress)).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();

/** Of an nginx that answers what of the company it can. */
async function startOld(t: ExecutionContext, { services, objects }: Awaited<ReturnType<typeof startCluster>>) {
  const plain = plainRows(company);
  const hosts = [...new Set(plain.flatMap((row) => row.hosts))];
  const model = new IngressNginxModel(worldOf(...objects));
  const portOf = ({ upstream }: { readonly upstream: string }) =>
    services.portOf(model.servers.upstreams.get(upstream));
  const config = serversText(model, hosts, portOf);
  const placed = config.replaceAll('proxy_pass http://127.0.0.1:', `proxy_pass http://${services.address}:`);
  const nginx = await startNginx(t, placed, services.certificate);
  const input = [...controller(), ...objectsOf(plain, services)].map((object) => stringify(object)).join('---\n');
  return { nginx, hosts, model, input: fileFor(t, input, 'plain.yaml') };
}

/** What of a comparison is unexplained. */
function unexplainedOf(text: string): readonly object[] {
  const { different } = JSON.parse(text) as { readonly different: readonly { readonly unexplained: boolean }[] };
  return different.filter(({ unexplained }) => unexplained);
}

test('sixty Ingresses of a cluster are moved and moved back as the docs say, without a failed request', async (t) => {
  t.timeout(900_000);
  const cluster = await startCluster(t);
  const { api } = cluster;
  const old = await startOld(t, cluster);
  const [http, https] = [await freePort(), await freePort()];
  const ports = await freePorts();
  const options = { ports, kubeconfig: api.kubeconfig, replicas: [ports.admin] };
  const control = new ControlPlaneProcess(t, options);
  await control.ready();
  await startAgent(t, `127.0.0.1:${ports.xds}`, { cluster: 'infra/edge' });

  const out = join(mkdtempSync(join(tmpdir(), 'gatewright-converted-')), 'converted');
  t.teardown(() => rmSync(join(out, '..'), { recursive: true }));
  const migrate = (...args: string[]) => runCommand(['migrate', ...args, '--kubeconfig', api.kubeconfig]);
  const kubectl = (...args: string[]) =>
    promisify(execFile)(join(kubernetesDir(), 'kubectl'), ['--kubeconfig', api.kubeconfig, ...args]);
  const before = await versions(api);

  const inventory = await migrate('inventory');
  t.regex(inventory.stdout, /\n60 Ingresses · /);
  t.is(inventory.code, 0, inventory.stderr);
  const listen = ['--http-port', String(http), '--https-port', String(https)];
  const converted = await migrate('convert', '--gateway', 'infra/edge', '--out', out, ...listen);
  t.is(converted.code, 0, converted.stderr);
  t.is(converted.stderr, 'gatewright: old/double is left out, since others answer all of its paths (see report.md)\n');
  const plan = await migrate('shift', '--plan');
  t.regex(plan.stdout, /kubectl create namespace infra .*\n *kubectl apply --server-side --recursive -f converted\//);

  await kubectl('create', 'namespace', 'infra');
  await kubectl('apply', '--server-side', '--recursive', '-f', out);
  const done = await untilFits(
    'all routes to be accepted',
    () => migrate('status'),
    ({ code }) => code === 0,
  );
  t.regex(done.stdout, /^60 Ingresses: 59 accepted, 1 not served today\n/);

  const offline = await migrate('compare', '--offline', '--converted', out, '-o', 'json');
  t.is(offline.code, 0, offline.stderr);
  t.deepEqual(unexplainedOf(offline.stdout), []);
  // Statuses say what is sent to the proxy, and not that it has it.
  await untilCurrent(control);
  const { nginx, hosts, model, input } = old;
  const addresses = ['--from', `127.0.0.1:${nginx.port}:${nginx.tlsPort}`, '--to', `127.0.0.1:${http}:${https}`];
  const limits = ['--rate', '1000', '--timeout', '60', '-o', 'json'];
  const live = await untilFits(
    'the Gateway to answer',
    () => runCommand(['migrate', 'compare', '-f', input, ...addresses, ...limits]),
    ({ code }) => code !== 2,
  );
  t.deepEqual(unexplainedOf(live.stdout), []);

  const sides = { from: { http: nginx.port, https: nginx.tlsPort }, to: { http, https } };
  const start = performance.now();
  const shares = [0, 1, 10, 50, 100, 50, 0];
  const moved = await moveTraffic({ hosts, model, ...sides, shares, rounds: 5, endOld: async () => undefined });
  const asked = [...moved.byShare.values()].reduce((sum, { from, to }) => sum + from + to, 0);
  t.log(`${asked} requests, ${Math.round(asked / ((performance.now() - start) / 1000))} a second`);
  t.deepEqual(moved.failed, []);
  t.is(moved.byShare.get(0)?.to, 0);
  t.is(moved.byShare.get(100)?.from, 0);

  await kubectl('delete', '--recursive', '--wait=false', '-f', out);
  t.is((await api.client.list(kinds.HTTPRoute)).length, 0);
  t.deepEqual(await versions(api), before, 'nothing has changed an Ingress');
});
