import test from 'ava';
import { conditionOf, moduleMap, startScriptWorld, withModule } from '../support/extension-world.ts';
import { pause } from '../support/pace.ts';
import { thorough } from '../support/repetitions.ts';
import { neighbours, spellings } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';
import { assembled, type ProxyFunction, wasmModule } from '../support/wasm.ts';

/** Modules of a tenant whom the operator lets write them, but who wants what the proxy and others have. */

const web = { name: 'web' };

/** What a module may not call. */
const forbidden = [
  'proxy_http_call',
  'proxy_grpc_call',
  'proxy_call_foreign_function',
  'proxy_define_metric',
  'proxy_set_shared_data',
  'proxy_register_shared_queue',
  'proxy_get_property',
  'proxy_set_property',
] as const satisfies readonly ProxyFunction[];

test('a module calls no other clusters, reads nothing that filters keep, and makes no metrics', async (t) => {
  const world = await startScriptWorld(t);
  const code = await wasmModule({
    request: (write) =>
      [...forbidden.map((name) => write.tries(name, 'x-found')), write.header('add', 'request', 'x-ran', 'yes')].join(
        ' ',
      ),
  });
  await world.rule(...withModule('his', web, code));
  t.is((await world.ask('a.test')).status, 200);
  const seen = world.web.seen.at(-1);
  t.deepEqual([seen?.['x-ran'], seen?.['x-found']], ['yes', undefined]);
});

/** What a module may not write into a request. */
const kept = [
  [':authority', 'n.test'],
  [':path', '/special'],
  [':method', 'DELETE'],
  [':scheme', 'https'],
  ['transfer-encoding', 'chunked'],
  ['content-length', '4'],
  ['connection', 'upgrade'],
  ['upgrade', 'websocket'],
  ['x-gw-scope', 'http/80|n.test'],
  ['x-envoy-retry-on', '5xx'],
  ['x-envoy-upstream-alt-stat-name', 'his'],
] as const;

thorough(test)(
  'a request of which a module changes where it goes or what frames it is denied, and reaches no other route',
  async (t) => {
    const world = await startScriptWorld(t);
    for (const [name, value] of kept) {
      const code = await wasmModule({
        request: (write) =>
          [write.header('replace', 'request', name, value), write.header('add', 'request', 'x-other', 'header')].join(
            ' ',
          ),
      });
      await world.rule(...withModule('his', web, code));
      const before = world.web.seen.length;
      for (const host of spellings)
        t.is((await world.ask(host, { method: 'POST', body: 'banana' })).status, 403, `${name} ${host}`);
      t.is(world.web.seen.length, before, name);
      for (const host of neighbours) t.is((await world.ask(host)).status, 200, `${name} ${host}`);
    }
  },
);

thorough(test)('a module cannot say that a body ends where it does not', async (t) => {
  const world = await startScriptWorld(t);
  const code = await wasmModule({
    requestBody: (write) => write.body(0, 'longer than what the client sent'),
    response: (write) =>
      [
        write.header('replace', 'response', 'content-length', '3'),
        write.header('replace', 'response', 'transfer-encoding', 'identity'),
      ].join(' '),
  });
  await world.rule(...withModule('his', web, code));
  const { status, body, headers } = await world.ask('a.test', { method: 'POST', body: 'banana' });
  t.deepEqual([status, body], [200, 'longer than what the client sent']);
  t.is(headers['content-length'], undefined);
  t.is(world.web.seen.at(-1)?.['content-length'], undefined);
});

thorough(test)('a module gets no more memory than its bound, and others go on', async (t) => {
  const world = await startScriptWorld(t);
  // It asks for 64 pages until there are none, and says so if it got 2,048: twice what it may have.
  const code = await wasmModule({
    request: (write) => `
      (loop $more (br_if $more (i32.ne (memory.grow (i32.const 64)) (i32.const -1))))
      (if (i32.gt_u (memory.size) (i32.const 1024)) (then ${write.header('add', 'request', 'x-found', 'memory')}))
      ${write.header('add', 'request', 'x-ran', 'yes')}`,
  });
  await world.rule(...withModule('his', web, code));
  t.is((await world.ask('a.test')).status, 200);
  const seen = world.web.seen.at(-1);
  t.deepEqual([seen?.['x-ran'], seen?.['x-found']], ['yes', undefined]);
  for (const host of neighbours) t.is((await world.ask(host)).status, 200, host);
});

/** By what it is, what is no module, and what is said of it. */
const others = [
  ['is text', async () => Buffer.from('#!/bin/sh'), /has no WebAssembly|no valid WebAssembly/],
  [
    'begins as one and is none',
    async () => Buffer.from('\0asm\x01\0\0\0\x05\xff\xff\xff\xff\x0f', 'latin1'),
    /no valid WebAssembly/,
  ],
  ['is for no proxy', async () => assembled('(module (memory 1))'), /Proxy-Wasm ABI/],
  ['is for another version', async () => wasmModule({}, { version: '0_1_0' }), /Proxy-Wasm ABI/],
  ['begins with too much memory', async () => wasmModule({}, { pages: 2048 }), /128 MiB.*64 MiB/],
  [
    'takes functions of another host',
    async () => wasmModule({}, { imports: '(import "host" "exec" (func (param i32)))' }),
    /host\.exec/,
  ],
] as const;

thorough(test)('what is no module closes its own routes, and the policy says why', async (t) => {
  const world = await startScriptWorld(t);
  for (const [what, code, message] of others) {
    await world.rule(...withModule('his', web, await code()));
    const { reason, message: said = '' } = conditionOf(world, 'his', 'ResolvedRefs') ?? {};
    t.is(reason, 'InvalidConfigMap', what);
    t.regex(said, message);
    for (const host of spellings) t.is((await world.ask(host)).status, 503, `${what} ${host}`);
    for (const host of neighbours) t.is((await world.ask(host)).status, 200, `${what} ${host}`);
  }
});

test('a module of another namespace takes a ReferenceGrant there, and closes its targets without', async (t) => {
  const world = await startScriptWorld(t);
  const code = await wasmModule({ response: (write) => write.header('add', 'response', 'x-answered', '1') });
  const [map, policy] = withModule('his', web, code);
  const theirs = { ...map, metadata: { ...map?.metadata, namespace: 'tenant' } };
  const named = {
    ...policy,
    spec: {
      ...(policy as { spec: object }).spec,
      wasm: { configMapRef: { name: 'his-code', namespace: 'tenant', key: 'module.wasm' } },
    },
  };
  world.write('tenant.yaml', theirs);
  await world.rule(named as never);
  t.is((await world.ask('a.test')).status, 503);
  t.is(conditionOf(world, 'his', 'ResolvedRefs')?.reason, 'RefNotPermitted');
  world.write('grant.yaml', {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'ReferenceGrant',
    metadata: { name: 'modules', namespace: 'tenant' },
    spec: {
      from: [{ group: 'gatewright.dev', kind: 'ExtensionPolicy', namespace: 'default' }],
      to: [{ group: '', kind: 'ConfigMap' }],
    },
  });
  await untilFits(
    'the grant to count',
    async () => (await world.ask('a.test')).headers['x-answered'],
    (answered) => answered === '1',
  );
});

thorough(test)('modules of two policies share no memory, even if they are the same', async (t) => {
  const world = await startScriptWorld(t);
  const counts = await wasmModule({
    request: (write) => `
      (i32.store (i32.const 16) (i32.add (i32.load (i32.const 16)) (i32.const 1)))
      (if (i32.gt_u (i32.load (i32.const 16)) (i32.const 1)) (then ${write.header('add', 'request', 'x-found', 'others')}))`,
  });
  await world.rule(
    ...withModule('his', web, counts),
    moduleMap('mine-code', counts),
    ...withModule('mine', { name: 'neighbour' }, counts).slice(1),
  );
  t.is((await world.ask('n.test')).status, 200);
  t.is(world.web.seen.at(-1)?.['x-found'], undefined);
});

thorough(test)(
  'no request gets past a module while others take its place, and it moves to another place',
  async (t) => {
    const world = await startScriptWorld(t);
    const denies = (text: string) => wasmModule({ request: (write) => write.answer(403, text) });
    const passes = await wasmModule({ request: (write) => write.header('add', 'request', 'x-ran', 'yes') });
    await world.rule(...withModule('his', web, await denies('0')));
    const passed: string[] = [];
    let [asked, isDone] = [0, false];
    const strangers = spellings.flatMap((host) =>
      Array.from({ length: 2 }, async () => {
        while (!isDone) {
          const { status } = await world.ask(host);
          asked++;
          if (status !== 403) passed.push(`${host}: ${status}`);
          await pause();
        }
      }),
    );
    for (let round = 1; round <= 4; round++) {
      const own = withModule('his', web, await denies(String(round)));
      await world.rule(...own);
      await world.rule(...own, ...withModule('upper', { kind: 'Gateway', name: 'edge' }, passes));
    }
    isDone = true;
    await Promise.all(strangers);
    t.deepEqual([...new Set(passed)], [], `${passed.length} of ${asked}`);
    t.is(world.web.requests.filter((path) => path === '/').length, 0);
  },
);

thorough(test)('an Envoy that was killed comes back with its modules', async (t) => {
  const world = await startScriptWorld(t);
  await world.rule(...withModule('his', web, await wasmModule({ request: (write) => write.answer(403, 'no') })));
  const pids = () => world.log.flatMap(({ msg, pid }) => (msg === 'Envoy started' ? [Number(pid)] : []));
  const [first = 0] = pids();
  process.kill(first, 'SIGKILL');
  await untilFits('another one', pids, (all) => all.length > 1);
  await untilFits(
    'it to serve',
    async () => (await world.ask('n.test').catch(() => undefined))?.status,
    (status) => status === 200,
  );
  for (const host of spellings) t.is((await world.ask(host)).status, 403, host);
});
