import test from 'ava';
import { Publisher } from '../../../../src/app/control-plane/publisher.ts';
import { typeUrls } from '../../../../src/envoy/index.ts';
import { each, toEnd } from '../../../../src/std/steps/index.ts';
import { Translator } from '../../../../src/translate/index.ts';
import { DeltaClient } from '../../../support/grpc.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';
import { nextEvent, startXds } from '../../../support/xds.ts';

test('proxies are sent a build before its statuses are taken', async (t) => {
  const sent: string[] = [];
  const debug = ({ snapshot }: { readonly snapshot?: string }, message: string) =>
    void (message === 'xDS push' && snapshot && sent.push(snapshot));
  const logger = { debug, info() {}, warn() {}, error() {} } as never;
  const { server, port } = await startXds(t, { logger });
  const sentBefore: string[][] = [];
  const publisher = new Publisher({
    translator: new Translator(),
    xds: server,
    onStatuses: () => each([sent], (all) => sentBefore.push([...all])),
    onResolved() {},
    onRejected: ({ message }) => t.fail(message),
    onEncoded: ({ message }) => t.fail(message),
  });
  const graph = newGraph();
  const publish = () => {
    const result = graph.build(someTime);
    toEnd(publisher.publish(result));
    return result.snapshot.id;
  };
  put(graph, gatewayClass(), gateway('edge'), service('web'), endpointSlice('web', ['10.0.0.1']));
  publish();
  const client = new DeltaClient({ target: port, cluster: 'default/edge' });
  t.teardown(() => client.close());
  const acked = nextEvent(server, ({ kind }) => kind === 'acked');
  client.subscribe(typeUrls.scopedRoute);
  await client.take();
  await acked;
  put(graph, httpRoute('new', { hostnames: ['new.test'], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] }));
  const id = publish();
  t.is(sentBefore.at(-1)?.at(-1), id);
  const { resources } = await client.take();
  t.true(resources.some(({ name }) => name.includes('new.test')));
});

test('statuses are taken one by one, with turns for others between them', async (t) => {
  const { server } = await startXds(t);
  const taken: string[] = [];
  const publisher = new Publisher({
    translator: new Translator(),
    xds: server,
    onStatuses: (changes) => each(changes, ({ key }) => taken.push(key)),
    onResolved() {},
    onRejected: ({ message }) => t.fail(message),
    onEncoded: ({ message }) => t.fail(message),
  });
  const graph = newGraph();
  const routes = Array.from({ length: 20 }, (_, at) => httpRoute(`r${at}`, { hostnames: [`r${at}.test`] }));
  put(graph, gatewayClass(), gateway('edge'), ...routes);
  const result = graph.build(someTime);
  const steps = publisher.publish(result);
  for (let before = 0; !steps.next().done; before = taken.length) t.true(taken.length - before <= 1);
  t.is(taken.length, result.statuses.length);
  t.true(taken.length > routes.length);
});
