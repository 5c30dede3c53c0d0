import { create, toBinary } from '@bufbuild/protobuf';
import test, { type ExecutionContext } from 'ava';
import {
  type DeltaRequest,
  type DeltaResponse,
  deltaRequest,
  encodeResource,
  resourceBody,
} from '../../../src/agent/relay/delta-messages.ts';
import { Relay, UncheckedEndpoints } from '../../../src/agent/relay/index.ts';
import { ClusterLoadAssignmentSchema, ClusterSchema, typeUrls } from '../../../src/envoy/index.ts';
import { logLines } from '../../support/log-lines.ts';

const { cluster, endpoint, listener } = typeUrls;

const clusterOf = (name: string, isChecked: boolean) => {
  const healthChecks = isChecked ? [{ healthChecker: { case: 'tcpHealthCheck' as const, value: {} } }] : [];
  const body = toBinary(ClusterSchema, create(ClusterSchema, { name, healthChecks }));
  return encodeResource(cluster, { name, version: '1' }, body);
};

const endpointsOf = (name: string) => {
  const assignment = create(ClusterLoadAssignmentSchema, { clusterName: name, endpoints: [{}] });
  return encodeResource(endpoint, { name, version: '1' }, toBinary(ClusterLoadAssignmentSchema, assignment));
};

const answerOf = (typeUrl: string, ...resources: DeltaResponse['resources']): DeltaResponse => ({
  typeUrl,
  nonce: `${typeUrl} ${resources.length}`,
  systemVersion: '',
  resources,
  removed: [],
});

/** An agent whose Envoy answers as the test says; time passes as it is waited for. */
function world(t: ExecutionContext, warming: (names: readonly string[]) => readonly string[]) {
  let now = 0;
  const { logger, find } = logLines();
  const unchecked: UncheckedEndpoints = new UncheckedEndpoints({
    get relay() {
      return relay;
    },
    logger,
    clock: {
      now: () => new Date(now),
      delay: async (ms) => {
        await new Promise(setImmediate);
        now += ms;
      },
    },
  });
  const relay = new Relay({ logger, now: () => new Date(now), onClusters: () => unchecked.look() });
  const sent: DeltaResponse[] = [];
  const control: DeltaRequest[] = [];
  relay.envoyJoined((response) => sent.push(response));
  relay.controlPlaneJoined((request) => control.push(request));
  const over = new AbortController();
  t.teardown(() => over.abort());
  void unchecked.run({ warming: async (names) => warming(names) }, over.signal);
  return {
    relay,
    sent,
    control,
    lines: () => find(/not checked in time/),
    time: () => now,
    ask: (typeUrl: string, ...subscribe: string[]) =>
      relay.envoyAsked(deltaRequest({ typeUrl, subscribe }), Uint8Array.of()),
    publish: (typeUrl: string, ...resources: DeltaResponse['resources']) =>
      relay.controlPlaneAnswered(answerOf(typeUrl, ...resources)),
    acknowledge: (typeUrl: string) => {
      for (const { nonce, typeUrl: type } of sent.filter((one) => one.typeUrl === typeUrl))
        relay.envoyAsked(deltaRequest({ typeUrl: type, nonce }));
    },
    turns: async (count = 200) => {
      for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
    },
  };
}

const bodies = (sent: readonly DeltaResponse[]) =>
  sent
    .filter(({ typeUrl }) => typeUrl === endpoint)
    .map(({ resources }) => resources.map((one) => [one.name, Buffer.from(resourceBody(one)!).toString('hex')]));

test('endpoints that are not checked in time are taken away and given again, and count as held all along', async (t) => {
  const { relay, sent, control, lines, ask, publish, acknowledge, turns, time } = world(t, () => ['slow']);
  ask(cluster);
  ask(listener);
  ask(endpoint, 'slow', 'other', 'plain');
  publish(cluster, clusterOf('slow', true), clusterOf('other', true), clusterOf('plain', false));
  const whole = ['slow', 'other', 'plain'].map(endpointsOf);
  publish(endpoint, ...whole);
  acknowledge(endpoint);
  sent.length = 0;
  control.length = 0;
  await turns();
  const [blank, again, more] = bodies(sent);
  t.deepEqual(
    blank,
    [['slow', `0a04${Buffer.from('slow').toString('hex')}`]],
    'only what Envoy says that it waits for',
  );
  t.deepEqual(again, [['slow', Buffer.from(resourceBody(whole[0]!)!).toString('hex')]]);
  t.is(more, undefined, 'once');
  t.is(lines().length, 1);
  t.true(time() >= 5000);
  acknowledge(endpoint);
  t.is(relay.types.get(endpoint)?.held.resources.get('slow'), whole[0]);
  t.deepEqual(
    control.filter(({ typeUrl }) => typeUrl === endpoint),
    [],
    'the control plane hears nothing of it',
  );
});

test('an Envoy that starts gets endpoints again where it asks for no listeners, also when it was busy with them', async (t) => {
  const { sent, ask, publish, acknowledge, turns } = world(
    t,
    () => t.fail('only changes while it serves ask for this') as never,
  );
  ask(cluster);
  publish(cluster, clusterOf('slow', true), clusterOf('plain', false));
  acknowledge(cluster);
  ask(endpoint, 'slow', 'plain');
  publish(endpoint, endpointsOf('slow'), endpointsOf('plain'));
  await turns();
  t.is(bodies(sent).length, 1, 'it has not answered about endpoints yet');
  acknowledge(endpoint);
  await turns();
  t.deepEqual(
    bodies(sent).map((all) => all.map(([name]) => name)),
    [['slow', 'plain'], ['slow'], ['slow']],
  );
});

test('clusters that Envoy takes in time, waits for with no checks, or finds the endpoints of, keep these', async (t) => {
  const { sent, lines, ask, publish, acknowledge, turns } = world(t, (names) => names);
  ask(cluster);
  ask(listener);
  ask(endpoint, 'quick', 'plain');
  publish(cluster, clusterOf('quick', true));
  publish(endpoint, endpointsOf('quick'));
  acknowledge(endpoint);
  acknowledge(cluster);
  publish(cluster, clusterOf('plain', false), clusterOf('named', true));
  await turns();
  t.is(bodies(sent).length, 1);
  t.deepEqual(lines(), []);
});
