/**
 * A cold start with many route tables, of which each has a filter chain of its own for access policies: ListenerSets with an HTTPS listener and a
 * route each, first without policies, then with a policy at every `--every`th ListenerSet, then at all of them.
 *
 *     npm run bench -- access-tables [--quick] [--tables 500,1000,2500] [--every 10]
 *
 * For each, one line of JSON: how long from starting control plane, agent and Envoy until Envoy has applied everything and the last host answers;
 * memory (MB) and CPU (seconds) of each by then. `--quick`: 100 and 200 tables. Needs Linux, util-linux and iproute2.
 */
import { parseArgs } from 'node:util';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { kinds } from '../../src/gateway-api/index.ts';
import { inOwnNetwork } from '../host/own-network.ts';
import { Tenants } from '../host/tenants.ts';
import { Gatewright } from '../peer/gatewright.ts';
import { World } from '../peer/world.ts';
import { applyAll, type Typed } from '../support/apply-all.ts';
import { statusOf } from '../support/ask.ts';
import { Patience } from '../support/patience.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    tables: { type: 'string' },
    every: { type: 'string', default: '10' },
  },
});
const loads = (options.tables ?? (options.quick ? '100,200' : '500,1000,2500')).split(',').map(Number);
const setsEach = 50;

inOwnNetwork();
await using world = await World.open({ patience: new Patience(20) });
const subject = await Gatewright.prepare(world);
const port = await freePort();
try {
  for (const load of loads) await measure(load);
} finally {
  await subject.stop();
  subject.probe.close();
}

async function measure(tables: number): Promise<void> {
  const { client: kube } = world.api;
  const spaces = Math.ceil(tables / setsEach);
  const tenants = new Tenants({ spaces, sets: Math.min(tables, setsEach), routes: 1, gateway: subject.gateway, port });
  await kube.apply(kinds.Gateway, tenants.gatewayObject(subject.probe.port));
  await applyAll(kube, tenants.namespaces());
  await applyAll(kube, tenants.objects(await issueCertificate(['*.example.com'])));
  await applyAll(kube, tenants.listenerSets());
  await applyAll(kube, tenants.routes());
  const sets = [...tenants.listenerSets()];
  for (const every of [0, Number(options.every), 1]) {
    const chosen = every === 0 ? [] : sets.filter((_, at) => at % every === 0);
    await applyAll(kube, chosen.map(policyOf));
    await coldStart(tenants, { tables: sets.length, policies: chosen.length });
  }
  for (const { metadata } of sets.map(([, set]) => set))
    await kube.delete(kinds.AccessPolicy, { namespace: metadata.namespace!, name: metadata.name });
}

/** It lets this machine in: whether a host answers is seen with it as without. */
function policyOf([, { metadata }]: Typed): Typed {
  const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name: metadata.name }];
  const spec = { targetRefs, clientIPs: { allow: ['127.0.0.0/8', '10.0.0.0/8'] } };
  const { name, namespace } = metadata;
  const policy = { apiVersion: 'gatewright.dev/v1alpha1', kind: 'AccessPolicy', metadata: { name, namespace }, spec };
  return [kinds.AccessPolicy, policy as Typed[1]];
}

async function coldStart(tenants: Tenants, what: object): Promise<void> {
  const began = performance.now();
  await subject.start();
  await subject.dataPlaneReady();
  const readyMs = Math.round(performance.now() - began);
  const door = { address: '127.0.0.1', port: tenants.port, tls: true };
  await world.patience.until(
    'the last host',
    async () => (await statusOf(door, tenants.lastHost, false, 5000)) === 200,
  );
  const answersMs = Math.round(performance.now() - began);
  const { controlPlane, proxy } = await subject.processes();
  const processes = [controlPlane, ...proxy].map(({ what: name, rssMb, peakMb, cpuSeconds }) => ({
    name,
    rssMb,
    peakMb,
    cpuSeconds,
  }));
  console.log(JSON.stringify({ ...what, readyMs, answersMs, processes }));
  await subject.stop();
}
