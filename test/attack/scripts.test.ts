import test from 'ava';
import { scripted, startScriptWorld } from '../support/extension-world.ts';
import { every, thorough } from '../support/repetitions.ts';
import { neighbours, spellings } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';

/** Scripts of a tenant whom the operator lets write them, but who wants what the proxy and others have. */

const web = { name: 'web' };

/** What a script may not have: Lua that gives something else than nil if it has it. */
const forbidden = [
  ...['io', 'require', 'package', 'debug', 'jit', 'load', 'loadstring', 'loadfile', 'dofile', 'module', 'newproxy'],
  ...[
    'getfenv',
    'setfenv',
    'coroutine',
    'collectgarbage',
    'print',
    'envoy_on_request_of_proxy',
    '_G.io',
    '_G._G.require',
  ],
  ...[
    'os.execute',
    'os.getenv',
    'os.remove',
    'os.exit',
    'os.tmpname',
    'string.dump',
    '("").dump',
    'getmetatable("").__index.dump',
  ],
  ...[
    'handle.httpCall',
    'handle.clearRouteCache',
    'handle.setUpstreamOverrideHost',
    'handle.connection',
    'handle.stats',
  ],
  ...['handle.filterContext', 'handle.connectionStreamInfo', 'handle.route', 'handle.virtualHost', 'handle.metadata'],
  ...['handle.__gc', 'handle.__index', 'handle:headers().__gc', 'handle:headers().__index', 'handle:streamInfo().__gc'],
  ...[
    'handle:streamInfo().filterState',
    'handle:streamInfo().dynamicTypedMetadata',
    'handle:streamInfo().downstreamSslConnection',
  ],
  ...['handle:streamInfo():dynamicMetadata().__gc', 'handle:streamInfo().drainConnectionUponCompletion'],
  ...['(getmetatable(handle) or nil)', '(getmetatable(handle:headers()) or nil)'],
];

/** What fails: Lua that does something which is not for scripts. */
const failing = [
  'setmetatable(handle, {})',
  'setmetatable(handle:headers(), {})',
  'rawset(handle, "x", 1)',
  'rawget(handle, "__gc")',
  'handle.x = 1',
  'handle:streamInfo():dynamicMetadata():set("gatewright.session", "key", "forged")',
  'handle:streamInfo():dynamicMetadata():set("envoy.lb", "host", "127.0.0.1:1")',
  'handle:streamInfo():dynamicMetadata():set("envoy.filters.http.jwt_authn", "sub", "admin")',
  'handle:streamInfo():dynamicMetadata():get("gatewright.session")',
  'for name in pairs(handle:streamInfo():dynamicMetadata()) do end',
  'handle.headers(handle:headers())',
  'handle:headers():replace({}, "x")',
  'handle:headers():get()',
];

test('a script has no files, no processes, no other clusters, and nothing of the proxy’s own', async (t) => {
  const world = await startScriptWorld(t);
  const lines = forbidden.map((what) => `  if (${what}) ~= nil then found[#found + 1] = ${JSON.stringify(what)} end`);
  const tries = failing.map(
    (what) => `  if pcall(function() ${what} end) then found[#found + 1] = ${JSON.stringify(what)} end`,
  );
  const script = [
    'function envoy_on_request(handle)',
    '  local found = {}',
    ...lines,
    ...tries,
    '  handle:respond({[":status"] = "200"}, table.concat(found, "\\n") .. "\\nend")',
    'end',
  ].join('\n');
  await world.rule(scripted('his', web, script));
  const { status, body } = await world.ask('a.test');
  t.deepEqual([status, body], [200, '\nend']);
});

for (const [what, script, compiles] of every(5, [
  ['ends early', 'envoy_on_request = function() end do return end', true],
  ['has all that ends texts', 'local all = "]]\\"" .. [==[ ]] ]==] -- \\', true],
  ['tries to end what is around it', 'end)() end end end envoy_on_request = function() end --', false],
  ['closes the text that it is in', '"]]]==] envoy_on_request = function(handle) handle:httpCall() end --\\', false],
  ['is bytecode', '\u001bLJ\u0002', false],
] as const))
  test(`a script that ${what} is held as others are`, async (t) => {
    const world = await startScriptWorld(t);
    const spy = `\nfunction envoy_on_request(handle) if handle.httpCall then handle:respond({[":status"] = "418"}, "") end end`;
    const his = scripted('his', web, script + spy);
    if (compiles) await world.rule(his);
    else world.write('policies.yaml', his);
    for (const host of spellings) {
      const ask = async () => (await world.ask(host)).status;
      if (compiles) t.is(await ask(), 200, host);
      else await untilFits(`${host} to be closed`, ask, (status) => status === 503);
    }
    for (const host of neighbours) t.is((await world.ask(host)).status, 200, host);
  });

thorough(test)(
  'a script cannot change where a request goes, how it is framed, or the headers of the proxy',
  async (t) => {
    const world = await startScriptWorld(t);
    const names = [
      ':authority',
      ':path',
      ':method',
      ':scheme',
      'Host',
      'X-GW-Scope',
      'x-gw-any',
      'Content-Length',
      'transfer-encoding',
      'x-envoy-retry-on',
      'Connection',
      'Upgrade',
    ];
    const steer = names.flatMap((name) => [
      `headers:replace("${name}", "n.test")`,
      `headers:add("${name}", "n.test")`,
      `headers:remove("${name}")`,
    ]);
    await world.rule(
      scripted(
        'his',
        web,
        `function envoy_on_request(handle) local headers = handle:headers() ${steer.join(' ')} headers:add("x-user", "from the script") end`,
      ),
    );
    const { status, body } = await world.ask('a.test', { method: 'POST', path: '/special', body: 'ten bytes.' });
    t.deepEqual([status, body], [200, 'ten bytes.']);
    const seen = world.web.seen.at(-1);
    t.is(world.web.requests.at(-1), '/special');
    t.deepEqual([seen?.host, seen?.['x-user'], seen?.['content-length']], ['a.test', 'from the script', '10']);
    for (const name of ['x-gw-scope', 'x-gw-any', 'x-envoy-retry-on', 'upgrade']) t.is(seen?.[name], undefined, name);
  },
);
