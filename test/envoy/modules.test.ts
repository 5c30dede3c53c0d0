import test from 'ava';
import {
  actsOnItsTarget,
  closesItsTargetAlone,
  conditionOf,
  levels,
  startExtensionWorld,
  startScriptWorld,
  withModule,
} from '../support/extension-world.ts';
import { every, thorough } from '../support/repetitions.ts';
import { neighbours } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';
import { wasmModule } from '../support/wasm.ts';

/** ExtensionPolicies with a module, through the running program and a real Envoy. */

const gateway = { kind: 'Gateway', name: 'edge' };
const web = { name: 'web' };

const marks = (name: string) =>
  wasmModule({
    request: (write) => write.header('add', 'request', 'x-seen', name),
    response: (write) => write.header('add', 'response', 'x-answered', name),
  });

for (const { level, target, ...reach } of every(2, levels)) {
  test(`a module of a ${level} changes its requests and answers and no others`, async (t) => {
    const world = await startScriptWorld(t);
    await world.rule(...withModule('one', target, await marks('1')));
    await actsOnItsTarget(t, world, reach);
  });
}

thorough(test)('modules of two levels come in their order, and another module takes the place of one', async (t) => {
  const world = await startScriptWorld(t);
  const two = withModule('two', web, await marks('2'));
  await world.rule(...two, ...withModule('one', gateway, await marks('1')));
  const { headers } = await world.ask('a.test');
  t.is(world.web.seen.at(-1)?.['x-seen'], '1, 2');
  t.is(headers['x-answered'], '2, 1');
  await world.rule(...two, ...withModule('one', gateway, await marks('3')));
  await world.ask('a.test');
  t.is(world.web.seen.at(-1)?.['x-seen'], '3, 2');
});

thorough(test)('a module gets its configuration, answers in place of backends, and changes bodies', async (t) => {
  const world = await startScriptWorld(t);
  const configured = await wasmModule({ request: (write) => write.headerOfConfiguration('x-configuration') });
  const config = { tenants: ['a', 'b'], most: 3 };
  await world.rule(...withModule('one', web, configured, { config, rootId: 'plugin' }));
  t.is((await world.ask('a.test')).status, 200);
  t.is(world.web.seen.at(-1)?.['x-configuration'], JSON.stringify(config));

  const answers = await wasmModule({ request: (write) => write.answer(402, 'pay') });
  await world.rule(...withModule('one', web, answers));
  const paid = await world.ask('a.test');
  t.deepEqual([paid.status, paid.body], [402, 'pay']);

  const changes = await wasmModule({
    requestBody: (write) => write.body(0, 'a body of the module'),
    responseBody: (write) => write.body(1, 'an answer of the module'),
  });
  await world.rule(...withModule('one', web, changes));
  const changed = await world.ask('a.test', { method: 'POST', body: 'banana' });
  t.deepEqual([changed.status, changed.body], [200, 'an answer of the module']);
});

for (const [what, acts] of every(4, [
  ['of requests', { request: () => 'unreachable' }],
  ['of bodies', { requestBody: () => 'unreachable' }],
  ['of answers', { response: () => 'unreachable' }],
  ['before all of them', { create: () => 'unreachable' }],
] as const))
  test(`a module that fails in its function ${what} lets no request pass, or goes on with onFailure: Allow`, async (t) => {
    const world = await startScriptWorld(t);
    const ask = () => world.ask('a.test', { method: 'POST', body: 'banana' });
    const code = await wasmModule(acts);
    await world.rule(...withModule('one', web, code));
    for (let time = 0; time < 3; time++) {
      const rejected = await ask();
      t.deepEqual([rejected.status, rejected.headers['x-backend']], [503, undefined]);
    }
    for (const host of neighbours) t.is((await world.ask(host)).status, 200, host);
    await world.rule(...withModule('one', web, code, { onFailure: 'Allow' }));
    // In each thread, the request in which it fails is answered still.
    await untilFits(
      'the module to be left out',
      async () => (await ask()).body,
      (body) => body === 'banana',
    );
  });

for (const [what, acts] of every(2, [
  ['fails while it starts', { start: () => 'unreachable' }],
  ['rejects its configuration', { configure: () => '(return (i32.const 0))' }],
] as const))
  test(`a module that ${what} closes its own routes, says so, and counts when it is corrected`, async (t) => {
    const world = await startScriptWorld(t);
    world.write('policies.yaml', ...withModule('one', web, await wasmModule(acts)));
    const condition = await untilFits(
      'the policy to say it',
      () => conditionOf(world, 'one', 'Accepted'),
      (found) => found?.status === 'False',
    );
    t.is(condition?.reason, 'Invalid');
    await closesItsTargetAlone(t, world);
    await world.rule(...withModule('one', web, await marks('1')));
    t.is((await world.ask('a.test')).headers['x-answered'], '1');
  });

test('modules are switched off unless the operator has switched them on, and close their targets', async (t) => {
  const world = await startExtensionWorld(t, {});
  await world.rule(
    ...withModule('one', web, await marks('1')),
    ...withModule('two', { name: 'neighbour' }, await marks('2'), { onFailure: 'Allow' }),
  );
  t.is((await world.ask('a.test')).status, 503);
  const { status, headers } = await world.ask('n.test');
  t.deepEqual([status, headers['x-answered']], [200, undefined]);
  const accepted = conditionOf(world, 'one', 'Accepted');
  t.is(accepted?.reason, 'Invalid');
  t.regex(accepted?.message ?? '', /extensions\.wasm/);
  t.regex(accepted?.message ?? '', /answered 503/);
});
