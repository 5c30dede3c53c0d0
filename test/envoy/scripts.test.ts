import test from 'ava';
import {
  actsOnItsTarget,
  closesItsTargetAlone,
  conditionOf,
  levels,
  scripted,
  startExtensionWorld,
  startScriptWorld,
} from '../support/extension-world.ts';
import { every, thorough } from '../support/repetitions.ts';
import { spellings } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';

/** ExtensionPolicies with a script, through the running program and a real Envoy. */

const gateway = { kind: 'Gateway', name: 'edge' };
const web = { name: 'web' };

const marks = (name: string): string => `
function envoy_on_request(handle)
  local headers = handle:headers()
  headers:replace("x-seen", (headers:get("x-seen") or "") .. "${name}")
end
function envoy_on_response(handle)
  local headers = handle:headers()
  headers:replace("x-answered", (headers:get("x-answered") or "") .. "${name}")
end
`;

for (const { level, target, ...reach } of every(2, levels)) {
  test(`a script of a ${level} changes its requests and answers and no others`, async (t) => {
    const world = await startScriptWorld(t);
    await world.rule(scripted('one', target, marks('1')));
    await actsOnItsTarget(t, world, reach);
  });
}

thorough(test)('scripts of two levels come in their order', async (t) => {
  const world = await startScriptWorld(t);
  await world.rule(scripted('two', web, marks('2')), scripted('one', gateway, marks('1')));
  const { headers } = await world.ask('a.test');
  t.is(world.web.seen.at(-1)?.['x-seen'], '12');
  t.is(headers['x-answered'], '21');
});

thorough(test)('a script reads and changes bodies, whole and piece by piece', async (t) => {
  const world = await startScriptWorld(t);
  const send = async (script: string) => {
    await world.rule(scripted('one', web, script));
    return (await world.ask('a.test', { method: 'POST', body: 'banana' })).body;
  };
  const upper = (text: string) =>
    `local body = ${text}:body(); body:setBytes((body:getBytes(0, body:length()):gsub("a", "AA")))`;
  t.is(await send(`function envoy_on_request(handle) ${upper('handle')} end`), 'bAAnAAnAA');
  t.is(await send(`function envoy_on_response(handle) ${upper('handle')} end`), 'bAAnAAnAA');
  const chunks = `
function envoy_on_request(handle)
  local size = 0
  for chunk in handle:bodyChunks() do size = size + chunk:length() end
  handle:logInfo("size " .. size)
end`;
  t.is(await send(chunks), 'banana');
});

thorough(test)('a script answers in place of backends, and keeps a value from the request to the answer', async (t) => {
  const world = await startScriptWorld(t);
  await world.rule(
    scripted(
      'one',
      web,
      `
function envoy_on_request(handle)
  local info = handle:streamInfo()
  info:dynamicMetadata():set("lua", "host", info:requestedServerName() .. "kept")
  if handle:headers():get("x-stop") then handle:respond({[":status"] = "402", ["x-by"] = "script"}, "pay") end
end
function envoy_on_response(handle)
  local kept = handle:streamInfo():dynamicMetadata():get("lua")
  handle:headers():add("x-kept", kept and kept["host"] or "")
end`,
    ),
  );
  const stopped = await world.ask('a.test', { headers: { 'x-stop': 'yes' } });
  t.deepEqual([stopped.status, stopped.body, stopped.headers['x-by']], [402, 'pay', 'script']);
  t.is(world.web.requests.filter((path) => path === '/').length, 0);
  const { status, headers } = await world.ask('a.test');
  t.deepEqual([status, headers['x-kept']], [200, 'kept']);
});

for (const [what, script] of every(4, [
  ['at once', 'function envoy_on_request(handle) error("no") end'],
  ['with an error that is no text', 'function envoy_on_request(handle) error({}) end'],
  ['behind a body', 'function envoy_on_request(handle) handle:body() local none; none() end'],
  [
    'while it goes through the headers of an answer',
    'function envoy_on_response(handle) for name in pairs(handle:headers()) do local none; none() end end',
  ],
  ['on the answer', 'function envoy_on_response(handle) local none; none() end'],
] as const))
  test(`a script that fails ${what} lets no request pass, or goes on with onFailure: Allow`, async (t) => {
    const world = await startScriptWorld(t);
    const ask = () => world.ask('a.test', { method: 'POST', body: 'banana' });
    await world.rule(scripted('one', web, script));
    const rejected = await ask();
    t.deepEqual([rejected.status, rejected.body, rejected.headers['x-backend']], [503, '', undefined]);
    t.is((await world.ask('n.test')).status, 200);
    await world.rule(scripted('one', web, script, { onFailure: 'Allow' }));
    const { status, body } = await ask();
    t.deepEqual([status, body], [200, 'banana']);
  });

test('a script that does not compile closes its own routes, says why, and counts when it is corrected', async (t) => {
  const world = await startScriptWorld(t);
  world.write('policies.yaml', scripted('one', web, 'function envoy_on_request(handle)\n  nonsense here\nend'));
  const condition = await untilFits(
    'the policy to say it',
    () => conditionOf(world, 'one', 'Accepted'),
    (found) => found?.status === 'False',
  );
  t.is(condition?.reason, 'Invalid');
  t.regex(condition?.message ?? '', /script:2: /);
  await closesItsTargetAlone(t, world);
  await world.rule(scripted('one', web, marks('1')));
  t.is((await world.ask('a.test')).headers['x-answered'], '1');
});

const configMap = (data: Readonly<Record<string, string>>, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'script', labels },
  data,
});

thorough(test)(
  'a script of a ConfigMap is what the ConfigMap has, and closes its own routes while that has none',
  async (t) => {
    const world = await startScriptWorld(t);
    const stored = scripted('one', web, { configMapRef: { name: 'script' } });
    await world.rule(stored, configMap({ 'script.lua': marks('1') }));
    for (const host of spellings) t.is((await world.ask(host)).headers['x-answered'], '1', host);
    await world.rule(stored, configMap({ 'script.lua': marks('2') }));
    t.is((await world.ask('a.test')).headers['x-answered'], '2');
    const saysWhy = async (object: object, reason: string, message: RegExp) => {
      world.write('policies.yaml', stored, object);
      const condition = await untilFits(
        `the policy to say ${reason}`,
        () => conditionOf(world, 'one', 'ResolvedRefs'),
        (found) => found?.reason === reason,
      );
      t.regex(condition?.message ?? '', message);
      await closesItsTargetAlone(t, world);
      await world.rule(stored, configMap({ 'script.lua': marks('3') }));
      t.is((await world.ask('a.test')).headers['x-answered'], '3');
    };
    await saysWhy(
      configMap({ other: 'x' }),
      'InvalidConfigMap',
      /^ConfigMap default\/script has no entry script\.lua: add the script; until then/,
    );
    await saysWhy(
      configMap({ 'script.lua': `-- ${'x'.repeat(40_000)}` }),
      'InvalidConfigMap',
      /has 40003 bytes as script\.lua, and may have 32768/,
    );
    await saysWhy(
      { ...configMap({}), metadata: { name: 'elsewhere' } },
      'ConfigMapNotFound',
      /default\/script does not/,
    );
  },
);

thorough(test)(
  'scripts are switched off unless the operator has switched them on, and close their targets',
  async (t) => {
    const world = await startExtensionWorld(t, {});
    await world.rule(
      scripted('one', web, marks('1')),
      scripted('two', { name: 'neighbour' }, marks('2'), { onFailure: 'Allow' }),
    );
    t.is((await world.ask('a.test')).status, 503);
    const { status, headers } = await world.ask('n.test');
    t.deepEqual([status, headers['x-answered']], [200, undefined]);
    const accepted = conditionOf(world, 'one', 'Accepted');
    t.is(accepted?.reason, 'Invalid');
    t.regex(accepted?.message ?? '', /extensions\.lua/);
    t.regex(accepted?.message ?? '', /answered 503/);
  },
);
