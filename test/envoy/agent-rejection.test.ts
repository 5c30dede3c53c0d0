import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import {
  cluster,
  deadlyListener,
  endpoints,
  httpListener,
  rejectedListener,
  routes,
} from '../support/agent-resources.ts';
import {
  ask,
  eventually,
  record,
  servingWorld,
  startAgent,
  startBackend,
  startControlPlane,
  untilNotBound,
  untilReady,
  untilServes,
  worldWithTakenPort,
} from '../support/agent-world.ts';
import { logLines } from '../support/log-lines.ts';
import { thorough } from '../support/repetitions.ts';
import { nextEvent } from '../support/xds.ts';

test('what Envoy rejects is shown with its words, and what was served before is served on', async (t) => {
  const [backend, controlPlane, port] = [await startBackend(t), await startControlPlane(t), await freePort()];
  const listener = httpListener(port);
  const others = [listener, cluster('c'), endpoints('c', backend.port)];
  controlPlane.publish('s1', [...others, routes(listener.name, 'c')]);
  const agent = await startAgent(t, controlPlane.address);
  await untilReady(agent);

  controlPlane.publish('s2', [...others, routes(listener.name, 'c', 'a(?=b)')]);
  const rejected = await eventually('the NACK', async () => {
    const status = await record(agent, 'xds/status');
    return status.last_config_status === 'NACK' && status;
  });
  t.regex(rejected.last_nack_message, /invalid perl operator/);
  t.is((await ask(port, '/')).body, 'backend');
  t.like(await record(agent, 'status'), { ready: true, config_version: 's1', serving: 'last_good' });
  t.regex(controlPlane.server.nodes.find('node-1')?.lastNackMessage ?? '', /invalid perl operator/);

  controlPlane.publish('s3', [...others, routes(listener.name, 'c', '/x.*')]);
  await eventually('s3 to be applied', async () => (await record(agent, 'status')).config_version === 's3');
  t.like(await record(agent, 'xds/status'), { last_config_status: 'ACK', last_config_version: 's3' });
  t.is((await ask(port, '/')).status, 404);
});

thorough(test)(
  'a listener that Envoy rejects is held back, and neither it nor the next Envoy is unready for it',
  async (t) => {
    const { agent, controlPlane, port, resources } = await servingWorld(t);
    const bad = await freePort();
    controlPlane.publish('s2', [...resources, rejectedListener(bad)]);
    const serves = async () => {
      await eventually('s2', async () => (await record(agent, 'status')).config_version === 's2');
      await untilServes(port, 'backend');
      await untilReady(agent);
    };
    await serves();
    const node = () => controlPlane.server.nodes.find('node-1');
    t.like(node()?.refusals[0], { kind: 'listener', key: `http/${bad}` });
    t.is((await record(agent, 'status')).serving, 'current');
    const pid = agent.envoyPid as number;
    process.kill(pid, 'SIGKILL');
    await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== pid);
    await serves();
  },
);

thorough(test)('a listener in use stays as it was when Envoy rejects a change of it', async (t) => {
  const { agent, controlPlane, port, resources } = await servingWorld(t);
  const rest = resources.filter(({ typeUrl }) => typeUrl !== typeUrls.listener);
  controlPlane.publish('s2', [...rest, rejectedListener(port)]);
  await eventually('s2', async () => (await record(agent, 'status')).config_version === 's2');
  t.is((await ask(port, '/')).body, 'backend');
  await untilReady(agent);
  const pid = agent.envoyPid as number;
  process.kill(pid, 'SIGKILL');
  await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== pid);
  await untilServes(port, 'backend');
  await untilReady(agent);
});

test('a listener whose port is taken: not ready with the reason, the NACK shown, the others serve', async (t) => {
  const { agent, controlPlane, port, taken, bad, free } = await worldWithTakenPort(t);
  const answer = await untilNotBound(agent, taken);
  t.is(answer.status, 503);
  t.regex(answer.body, new RegExp(`listener http/${taken}\\b.*Address already in use`));
  const { listeners, ready } = await record(agent, 'status');
  t.false(ready);
  t.like(
    listeners.find(({ name }: { name: string }) => name === bad.name),
    {
      active: false,
      address: `127.0.0.1:${taken}`,
    },
  );
  t.regex((await record(agent, 'xds/status')).last_nack_message, /Address already in use/);
  t.is((await record(agent, 'xds/status')).last_config_status, 'NACK');
  await eventually('the good listener', async () => (await ask(port, '/')).body === 'backend');

  await nextEvent(controlPlane.server, ({ kind }) => kind === 'nacked');

  // A new Envoy gets the good listener back, although no answer with it was ever taken whole.
  const pid = agent.envoyPid as number;
  process.kill(pid, 'SIGKILL');
  await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== pid);
  await eventually('the good listener again', async () => (await ask(port, '/')).body === 'backend');

  free();
  await eventually('the listener whose port is free now', async () => (await ask(taken, '/')).body === 'backend');
  await untilReady(agent);
  t.like(await record(agent, 'xds/status'), { last_config_status: 'ACK', last_config_version: 's1' });
});

thorough(test)(
  'an answer that ends Envoy three times is rejected in its place, and what was served before is served on',
  async (t) => {
    const { logger, find } = logLines();
    const { agent, controlPlane, port, resources } = await servingWorld(t, { logger });
    const other = await startBackend(t, 'other');
    const deadly = await freePort();
    const rejected = nextEvent(controlPlane.server, ({ kind }) => kind === 'nacked');
    // What comes beside it is taken, for it is another answer.
    const rest = [...resources.slice(0, 3), endpoints('c', other.port)];
    controlPlane.publish('s2', [...rest, deadlyListener(deadly)]);
    await rejected;
    await untilServes(port, 'other');
    await untilReady(agent);
    const ends = find(/Envoy ended; restarting it/);
    t.is(ends.length, 3);
    for (const { reason } of ends) t.regex(String(reason), /SIGSEGV/);
    const { envoy, serving, faults } = await record(agent, 'status');
    t.like(envoy, { restarts: 3, state: 'LIVE' });
    t.is(serving, 'last_good');
    t.like(
      faults.find(({ reason }: { reason: string }) => reason === 'configuration_refused'),
      { blocking: false },
    );
    t.like(await record(agent, 'xds/status'), {
      last_config_status: 'NACK',
      last_nack_message: 'Envoy ended 3 times while it took this answer',
    });
    // The next Envoy is not offered it either.
    const pid = agent.envoyPid as number;
    process.kill(pid, 'SIGKILL');
    await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== pid);
    await untilServes(port, 'other');
    await untilReady(agent);
    t.is((await record(agent, 'status')).envoy.restarts, 4);

    controlPlane.publish('s3', rest);
    await eventually('s3', async () => (await record(agent, 'status')).config_version === 's3');
    t.like(await record(agent, 'status'), { serving: 'current', ready: true });
  },
);
