/**
 * Many tenants on one Gateway: ListenerSets with an HTTPS listener each, on one port, and HTTPRoutes spread over them.
 *
 *     npm run bench -- listener-sets [--quick] [--namespaces 50] [--sets 50] [--routes 16] [--churn-seconds 60] [--turns 3]
 *         [--patience 10] [--subjects gatewright,envoy-gateway]
 *
 * `--sets` are for each namespace, `--routes` for each ListenerSet. How long until all ListenerSets are programmed, the last route answers
 * over TLS and every one is accepted, each for `--patience` minutes at most; memory; CPU while a route changes its host every 200 ms, and
 * while nothing happens. Needs what `peer` needs. `--quick`: 5 namespaces, 10 ListenerSets each, 10 seconds.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { cores, difference, meter } from '../peer/meter.ts';
import type { Note } from '../peer/rows.ts';
import { reached, sideBySide, sideBySideOptions } from '../peer/side-by-side.ts';
import { envoyMemoryMb, type Subject, xdsBytes } from '../peer/subject.ts';
import type { World } from '../peer/world.ts';
import { applyAll } from '../support/apply-all.ts';
import { statusOf } from '../support/ask.ts';
import { type Condition, isAccepted, says, type WithParents } from '../support/conditions.ts';
import { median } from '../support/figures.ts';
import { isOfTenant, Tenants } from './tenants.ts';

const { values: options } = parseArgs({
  options: {
    ...sideBySideOptions,
    namespaces: { type: 'string' },
    sets: { type: 'string' },
    routes: { type: 'string', default: '16' },
    'churn-seconds': { type: 'string' },
  },
});
const spaces = Number(options.namespaces ?? (options.quick ? 5 : 50));
const sets = Number(options.sets ?? (options.quick ? 10 : 50));
const routes = Number(options.routes);
const churnSeconds = Number(options['churn-seconds'] ?? (options.quick ? 10 : 60));
const idleMs = options.quick ? 10_000 : 30_000;
const [allSets, allRoutes] = [spaces * sets, spaces * sets * routes];

await sideBySide(
  {
    name: 'listener-sets',
    title: 'Many tenants on one Gateway',
    about: `${allRoutes.toLocaleString('en')} HTTPRoutes over ${allSets.toLocaleString('en')} ListenerSets with HTTPS in ${spaces} namespaces; at most ${options.patience} minutes for each step.`,
    plots: [{ what: 'control plane’s memory, MB' }],
    options,
    again: true,
  },
  async (world, subject, note) => {
    await subject.start();
    try {
      await subject.probe.ready();
      const tenants = new Tenants({ spaces, sets, routes, gateway: subject.gateway, port: await freePort() });
      const answers = await load(world, subject, tenants, note);
      const [before, after] = [await meter(subject), await delay(idleMs).then(() => meter(subject))];
      note('control plane’s CPU when idle, share of a core', cores(before, after));
      note('control plane’s memory at rest, MB', (await subject.processes()).controlPlane.rssMb);
      if (answers) await churn(world, subject, tenants, note);
      const { controlPlane, proxy } = await subject.processes();
      note('control plane’s memory, MB', controlPlane.rssMb);
      note('at most, MB', controlPlane.peakMb);
      note('Envoy’s memory, MB', envoyMemoryMb(proxy));
    } finally {
      await subject.stop();
    }
  },
);

/** @returns whether the last route answers */
async function load(world: World, subject: Subject, tenants: Tenants, note: Note): Promise<boolean> {
  const { patience } = world;
  const { client: kube } = world.api;
  await kube.apply(kinds.Gateway, tenants.gatewayObject(subject.probe.port));
  const before = await meter(subject);
  await applyAll(kube, tenants.namespaces());
  await applyAll(kube, tenants.objects(await issueCertificate(['*.example.com'])));
  await applyAll(kube, tenants.listenerSets());
  const programmed = async () => {
    const all = await kube.list<WithConditions>(kinds.ListenerSet);
    return all.filter(({ status }) => says(status?.conditions, 'Programmed')).length;
  };
  await reached(note, 'all ListenerSets programmed, s after the last write', () =>
    patience.untilAll('ListenerSets', allSets, 'ListenerSets', programmed),
  );
  await applyAll(kube, tenants.routes());
  const written = performance.now();
  const answers = await reached(note, 'last route answers, s after the last write', () =>
    patience.until('last route', () => isServed(tenants, tenants.lastHost)),
  );
  const accepted = async () => {
    const all = await kube.list<WithParents & KubernetesObject>(kinds.HTTPRoute);
    return all.filter((route) => isOfTenant(route) && isAccepted(route)).length;
  };
  await reached(
    note,
    'all routes accepted, s after the last write',
    () => patience.untilAll('routes', allRoutes, 'routes', accepted),
    written,
  );
  note('control plane’s CPU for all of it, s', difference(before, await meter(subject)).cpuSeconds);
  return answers;
}

/** One route after the other gets a new host, and is asked for it. */
async function churn(world: World, subject: Subject, tenants: Tenants, note: Note): Promise<void> {
  const before = await meter(subject);
  const end = performance.now() + churnSeconds * 1000;
  const times: number[] = [];
  for (let change = 0; performance.now() < end; change += 1) {
    const { host, route } = tenants.changedRoute(change);
    const began = performance.now();
    await world.api.client.apply(...route);
    await world.patience.until('a new host', () => isServed(tenants, host));
    times.push(performance.now() - began);
    await delay(200);
  }
  const after = await meter(subject);
  const spent = difference(before, after);
  note('new host: written → 200, ms, median', median(times));
  note('new host: written → 200, ms, at most', Math.max(...times));
  note('control plane’s CPU meanwhile, share of a core', cores(before, after));
  note('for each change, ms', (spent.cpuSeconds * 1000) / times.length);
  note('xDS bytes for each change', xdsBytes(subject, spent.bytes / times.length));
}

async function isServed({ port }: Tenants, host: string): Promise<boolean> {
  return (await statusOf({ address: '127.0.0.1', port, tls: true }, host, false, 5000)) === 200;
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] };
}
