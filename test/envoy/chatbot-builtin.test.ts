import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import type { ChatEvent } from '../../src/addons/chatbot/index.ts';
import { chat } from '../support/chat.ts';
import { runCommand } from '../support/command.ts';
import { request } from '../support/request.ts';
import { routeObject, type Standalone, startStandalone, untilRead } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/*
 * A chat without a model, about a gateway with everything real behind it: what it says is held against what the gateway does.
 */

async function startWorld(t: ExecutionContext): Promise<Standalone> {
  const standalone = await startStandalone();
  t.teardown(() => standalone.stop());
  standalone.write('backends.yaml', ...(await standalone.backend('one')));
  const rules = [
    { matches: [{ path: { type: 'PathPrefix', value: '/cart' } }], backendRefs: [{ name: 'one', port: 80 }] },
  ];
  standalone.write('route.yaml', routeObject('shop', 'shop.test', rules), {
    ...routeObject('lost', 'lost.test', rules),
    spec: { parentRefs: [{ name: 'edge', sectionName: 'https' }], hostnames: ['lost.test'], rules },
  });
  // Asked earlier, the route may fail, which would be a problem of it.
  await untilRead(standalone, ['Service', 'default/one'], ['HTTPRoute', 'default/lost']);
  t.is((await standalone.get('shop.test', '/cart')).status, 200);
  return standalone;
}

const toolsOf = (events: readonly ChatEvent[]): string[] =>
  events.flatMap((each) => (each.type === 'tool_call' ? [each.name] : []));

test('common questions are answered from what the gateway does', async (t) => {
  const standalone = await startWorld(t);
  const { layout1 } = standalone.control.ports;
  const { port } = standalone;
  t.like(await (await request(`http://127.0.0.1:${layout1}/v1/dashboard/capabilities`)).json(), { chatbot: true });

  const missing = await chat(layout1, { prompt: `Why is http://shop.test:${port}/nowhere answered 404?` });
  t.is(missing.status, 200);
  t.regex(missing.headers['content-type'] ?? '', /^text\/event-stream/);
  t.is(missing.headers['cache-control'], 'no-store, no-transform');
  t.is(missing.headers['x-accel-buffering'], 'no');
  t.is(missing.headers['content-encoding'], undefined);
  t.true(missing.raw.endsWith('\n\ndata: [DONE]\n\n'));
  t.deepEqual(missing.events[0], { type: 'start', model: 'builtin', mode: 'builtin' });
  t.deepEqual(missing.events.at(-1), { type: 'done', finishReason: 'stop' });
  t.is(toolsOf(missing.events)[0], 'explain_request');
  // True here: the proxy answers 404, for the reported reason.
  t.is((await standalone.get(`shop.test:${port}`, '/nowhere')).status, 404);
  t.regex(missing.text, /404: no rule for the host shop\.test matches/);
  t.regex(missing.text, /HTTPRoute default\/shop rule 0: its path prefix is \/cart/);

  const served = await chat(layout1, { message: `where does http://shop.test:${port}/cart/1 go?` });
  t.regex(served.text, /forwarded by HTTPRoute default\/shop rule 0/);
  t.regex(served.text, /100 % go to default\/one:80, which has 1 ready endpoint\b/);

  const lost = await chat(layout1, { prompt: `why do I get 404 for http://lost.test:${port}/cart` });
  t.regex(lost.text, /HTTPRoute default\/lost: NoMatchingParent: .* → Correct `sectionName`/);

  const rejected = await chat(layout1, { prompt: 'What is not accepted?' });
  t.regex(rejected.text, /HTTPRoute default\/lost: NoMatchingParent: .*→ Correct `sectionName`/);

  const diagnosed = await chat(layout1, { prompt: 'what is wrong?', context: { kind: 'HTTPRoute', name: 'shop' } });
  t.is(toolsOf(diagnosed.events)[0], 'diagnose');
  t.regex(diagnosed.text, /Nothing is wrong with HTTPRoute default\/shop/);

  t.regex((await chat(layout1, { prompt: 'Who has drifted?' })).text, /The one proxy runs the newest snapshot/);
  t.regex((await chat(layout1, { prompt: 'What expires?' })).text, /No listener names a certificate/);
  t.regex((await chat(layout1, { prompt: 'How much traffic is there?' })).text, /no metrics backend is configured/);
  t.regex((await chat(layout1, { prompt: 'overview' })).text, /1 Gateway with 1 listener, 2 routes/);
  t.regex(
    (await chat(layout1, { prompt: 'list the routes' })).text,
    /HTTPRoute default\/lost: lost\.test \(not accepted\)/,
  );
  t.regex((await chat(layout1, { prompt: 'what happened lately?' })).text, /The newest first:\n\n- \d{4}-/);
});

test('a route with a dropped rule is a warning wherever the running program is asked', async (t) => {
  const standalone = await startWorld(t);
  const { layout1 } = standalone.control.ports;
  const half = routeObject('half', 'half.test', [
    { matches: [{ path: { type: 'RegularExpression', value: '/a(?=b)' } }], backendRefs: [{ name: 'one', port: 80 }] },
    { matches: [{ path: { type: 'PathPrefix', value: '/ok' } }], backendRefs: [{ name: 'one', port: 80 }] },
  ]);
  const body = stringify(half);
  const headers = { 'Content-Type': 'application/yaml' };
  const url = `http://127.0.0.1:${layout1}`;
  const proposed = (await (await request(`${url}/v1/validate`, { method: 'POST', headers, body })).json()) as {
    readonly warnings: readonly string[];
  };
  t.like(proposed, { valid: true, errors: [] });
  t.regex(
    proposed.warnings.join(),
    /^HTTPRoute default\/half: at edge: PartiallyInvalid: UnsupportedValue: Dropped Rule/,
  );

  standalone.write('half.yaml', half);
  await untilFits(
    'the part of the route that is left to serve',
    () => standalone.get('half.test', '/ok'),
    ({ status }) => status === 200,
  );
  const isSaid = ({ level, msg }: Record<string, unknown>) =>
    level === 'warn' && /^HTTPRoute default\/half: .*PartiallyInvalid=True/.test(String(msg));
  t.true(standalone.log.some(isSaid));

  const status = await runCommand(['status'], { GATEWRIGHT_SERVER: url });
  t.is(status.code, 1);
  t.regex(status.stdout, /^HTTPRoute default\/half: UnsupportedValue: Dropped Rule/m);

  const wrong = await chat(layout1, { prompt: 'What is wrong?' });
  t.regex(wrong.text, /HTTPRoute default\/half: `UnsupportedValue: Dropped Rule/);
  const diagnosed = await chat(layout1, { prompt: 'what is wrong?', context: { kind: 'HTTPRoute', name: 'half' } });
  t.regex(diagnosed.text, /HTTPRoute default\/half has 1 problem:\n\n- .*UnsupportedValue: Dropped Rule/);
});

test('what is no question is rejected before anything is said', async (t) => {
  const standalone = await startStandalone();
  t.teardown(() => standalone.stop());
  const { layout1 } = standalone.control.ports;
  const rejected = async (body: object, headers?: Record<string, string>) => {
    const { status, raw } = await chat(layout1, body, headers);
    return { status, code: (JSON.parse(raw) as { error: { code: string } }).error.code };
  };
  t.deepEqual(await rejected({}), { status: 400, code: 'body_malformed' });
  t.deepEqual(await rejected({ prompt: '  ' }), { status: 400, code: 'body_malformed' });
  t.deepEqual(await rejected({ prompt: 'x', history: [{ role: 'tool', content: '' }] }), {
    status: 400,
    code: 'body_malformed',
  });
  const history = [
    { role: 'user', content: 'x'.repeat(65_000) },
    { role: 'user', content: 'x'.repeat(1000) },
  ];
  t.deepEqual(await rejected({ prompt: 'x', history }), { status: 413, code: 'body_too_large' });
  t.deepEqual(await rejected({ prompt: 'x' }, { origin: 'https://elsewhere.example' }), {
    status: 403,
    code: 'origin_foreign',
  });
});
