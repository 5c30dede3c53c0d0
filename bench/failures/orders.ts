import { setTimeout as delay } from 'node:timers/promises';
import { kinds } from '../../src/gateway-api/index.ts';
import { Load } from '../support/load.ts';
import type { Tally } from '../support/tally.ts';
import { Pod, service, slice } from './pods.ts';
import type { Scene } from './scene.ts';

const host = 'orders.example.com';
const pauseMs = 200;
const services = ['one', 'two'];

/** The rules of a route change places, and the weights of one of them move, every 200 ms. What each path leads to is the same all the time. */
export async function orders({ world, subject, connections }: Scene, count: number): Promise<Tally> {
  const { client: kube } = world.api;
  const pods = await Promise.all(services.map((name) => Pod.start(name)));
  for (const [at, name] of services.entries()) {
    await kube.apply(kinds.Service, service(name));
    await kube.apply(kinds.EndpointSlice, slice(name, [{ pod: pods[at]!, state: 'ready' }]));
  }
  await subject.probe.put('orders', host, rulesOf(0));
  await subject.probe.answersOn(host);
  using load = new Load(subject.probe, { host, connections, paths: ['/one', '/two', '/'], expects });
  for (let at = 1; at <= count; at += 1) {
    await subject.probe.put('orders', host, rulesOf(at));
    await delay(pauseMs);
  }
  const tally = await load.stop();
  await subject.probe.removeRoute('orders', host);
  await Promise.all(pods.map((pod) => pod.stop()));
  return tally;
}

const expects = (path: string): string | undefined => (path === '/' ? undefined : path.slice(1));

function rulesOf(at: number): object[] {
  const pathRule = (name: string) => ({
    matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
    backendRefs: [{ name, port: 80 }],
  });
  const weights = at % 2 === 0 ? [90, 10] : [10, 90];
  const anyPath = { backendRefs: services.map((name, index) => ({ name, port: 80, weight: weights[index] })) };
  const rules = [...services.map(pathRule), anyPath];
  const turn = at % rules.length;
  return [...rules.slice(turn), ...rules.slice(0, turn)];
}
