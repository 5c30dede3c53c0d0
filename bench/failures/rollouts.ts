import { setTimeout as delay } from 'node:timers/promises';
import { kinds } from '../../src/gateway-api/index.ts';
import { Load } from '../support/load.ts';
import type { Tally } from '../support/tally.ts';
import { type Endpoint, Pod, service, slice } from './pods.ts';
import type { Scene } from './scene.ts';

const host = 'rollout.example.com';
const name = 'rolling';
const replicas = 4;
/** Replaced at a time: a Deployment with `maxSurge: 50%` and `maxUnavailable: 0`. */
const surge = 2;
/** From the mark that a pod is ending until it ends: what a `preStop` hook waits for. */
const graceMs = 1000;

/**
 * All pods of a Service are replaced, so many times. New ones are ready before old ones are marked, which serve on for a second, then
 * stop in good order and are gone.
 */
export async function rollouts({ world, subject, connections }: Scene, count: number): Promise<Tally> {
  const { client: kube } = world.api;
  const write = (endpoints: readonly Endpoint[]) => kube.apply(kinds.EndpointSlice, slice(name, endpoints));
  let pods = await start(replicas);
  await kube.apply(kinds.Service, service(name));
  await write(pods.map(ready));
  await subject.probe.put('rollout', host, [{ backendRefs: [{ name, port: 80 }] }]);
  await subject.probe.answersOn(host);
  using load = new Load(subject.probe, { host, connections });
  for (let at = 0; at < (count * replicas) / surge; at += 1) {
    const [old, stay, more] = [pods.slice(0, surge), pods.slice(surge), await start(surge)];
    pods = [...stay, ...more];
    await write([...old, ...pods].map(ready));
    await write([...old.map((pod): Endpoint => ({ pod, state: 'ending' })), ...pods.map(ready)]);
    await delay(graceMs);
    await Promise.all(old.map((pod) => pod.stop()));
    await write(pods.map(ready));
  }
  const tally = await load.stop();
  await subject.probe.removeRoute('rollout', host);
  await Promise.all(pods.map((pod) => pod.stop()));
  return tally;
}

const start = (count: number): Promise<Pod[]> => Promise.all(Array.from({ length: count }, () => Pod.start(name)));

const ready = (pod: Pod): Endpoint => ({ pod, state: 'ready' });
