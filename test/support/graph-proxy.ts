import type { ExecutionContext } from 'ava';
import { kindModules } from '../../src/controllers/index.ts';
import { Graph } from '../../src/graph/index.ts';
import { Translator } from '../../src/translate/index.ts';
import { type EnvoyProcess, startEnvoy, xdsBootstrap } from './envoy.ts';
import { throwMishap } from './mishaps.ts';
import { controllerName, endpointSlice, gatewayClass, service } from './objects.ts';
import { type AnyObject, put, someTime } from './world.ts';
import { nextEvent, startXds } from './xds.ts';

export interface World {
  readonly envoy: EnvoyProcess;
  /** Puts objects and waits until Envoy has applied what they come to. */
  apply(...objects: readonly AnyObject[]): Promise<void>;
}

/** Resources in, a real Envoy out: graph, translation and xDS are the real ones. Listeners are on free ports. */
export async function startWorld(t: ExecutionContext, ...objects: readonly AnyObject[]): Promise<World> {
  const graph = new Graph({ controllerName, kinds: kindModules, bind: () => ({ address: '127.0.0.1', port: 0 }) });
  const translator = new Translator();
  const { server, port, events } = await startXds(t);
  const apply: World['apply'] = async (...changed) => {
    put(graph, ...changed);
    const { snapshot, changes } = graph.build(someTime);
    throwMishap(graph);
    const event = nextEvent(server, (seen) => seen.kind === 'applied' && seen.snapshot === snapshot.id);
    const marker = { ...snapshot.counts, id: snapshot.id, generatedAt: snapshot.generatedAt };
    const digests = new Map([['default/edge', snapshot.id]]);
    server.publish({ marker, changes: translator.translate(snapshot, changes), digests });
    await event;
    const rejected = events.filter(({ kind }) => kind === 'nacked');
    if (rejected.length > 0) throw new Error(JSON.stringify(rejected));
  };
  const bootstrap = xdsBootstrap({ xds: port, nodeId: 'proxy', cluster: 'default/edge' });
  const envoy = await startEnvoy({ bootstrap });
  t.teardown(() => envoy.stop());
  await apply(gatewayClass(), ...objects);
  await envoy.ready();
  return { envoy, apply };
}

/** A Service with one endpoint on 127.0.0.1. */
export const backend = (name: string, port: number, protocol = 'TCP'): AnyObject[] => [
  service(name, [{ port: 80, name: 'p80', protocol }] as never),
  endpointSlice(name, ['127.0.0.1'], { port }),
];

/** Rules of a route that lead to these Services. */
export const refs = (weights: Readonly<Record<string, number>>) => [
  { backendRefs: Object.entries(weights).map(([name, weight]) => ({ name, port: 80, weight })) },
];
