/**
 * A bystander: routes of somebody else's Gateway, and what they cost a control plane that has nothing to do with them.
 *
 *     npm run bench -- foreign [--routes 40000] [--seconds 60]
 *
 * Memory before and after they are written, CPU for taking them in, and while one of them changes every 100 ms. One line of JSON. Needs
 * what `peer` needs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { kinds } from '../../src/gateway-api/index.ts';
import { Gatewright } from '../peer/gatewright.ts';
import { meter } from '../peer/meter.ts';
import { backend, namespace, World } from '../peer/world.ts';
import { applyAll, type Typed } from '../support/apply-all.ts';
import { inOwnNetwork } from './own-network.ts';

const { values: options } = parseArgs({
  options: { routes: { type: 'string', default: '40000' }, seconds: { type: 'string', default: '60' } },
});
const routes = Number(options.routes);
const apiVersion = 'gateway.networking.k8s.io/v1';

inOwnNetwork();
await using world = await World.open();
const kube = world.api.client;
const subject = await Gatewright.prepare(world);
await subject.start();
try {
  await subject.probe.ready();
  await world.addGateway('elsewhere', 'example.com/somebody-else', 80);
  const before = (await subject.processes()).controlPlane;
  await applyAll(
    kube,
    Array.from({ length: routes }, (_, at) => route(at, `host-${at}.example.com`)),
  );
  // One of our own, written last: when it answers, the others have been seen too.
  await subject.probe.put('own', 'own.example.com');
  await subject.probe.answersOn('own.example.com');
  const taken = (await subject.processes()).controlPlane;
  const from = await meter(subject);
  const end = performance.now() + Number(options.seconds) * 1000;
  let changes = 0;
  for (; performance.now() < end; changes += 1) {
    await kube.apply(...route(changes % routes, `new-${changes}.example.com`));
    await delay(100);
  }
  const to = await meter(subject);
  console.log(
    JSON.stringify({
      foreignRoutes: routes,
      rssMb: { without: before.rssMb, with: taken.rssMb, peak: taken.peakMb },
      cpuSecondsToTake: Math.round((taken.cpuSeconds - before.cpuSeconds) * 10) / 10,
      changes,
      coresWhileOneChanges: Math.round(((to.cpuSeconds - from.cpuSeconds) / (to.ms - from.ms)) * 1e6) / 1e3,
      xdsBytes: to.bytes - from.bytes,
    }),
  );
} finally {
  await subject.stop();
  subject.probe.close();
}

function route(at: number, host: string): Typed {
  const spec = {
    parentRefs: [{ name: 'elsewhere' }],
    hostnames: [host],
    rules: [{ backendRefs: [{ name: backend.name, port: backend.port }] }],
  };
  return [kinds.HTTPRoute, { apiVersion, kind: 'HTTPRoute', metadata: { name: `foreign-${at}`, namespace }, spec }];
}
