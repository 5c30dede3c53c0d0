import test from 'ava';
import type { Pick } from '../../scripts/example/picker-server.ts';
import { startBackend } from '../support/http.ts';
import { startPoolWorld } from '../support/pool-world.ts';
import { thorough } from '../support/repetitions.ts';

/** A client that writes in the name of a picker, and a picker that lies. */

const prompt = { method: 'POST', path: '/v1/completions', body: '{"prompt":"hello"}' };

test.serial('no header of a client chooses a model server, and none passes for a picker’s word', async (t) => {
  let pick: Pick = { endpoint: '' };
  const world = await startPoolWorld(t, {
    picker: { pick: () => pick },
    pool: { failureMode: 'FailOpen' },
  });
  const [first, second] = world.servers;
  pick = { endpoint: second?.endpoint ?? '', by: 'metadata' };
  const forged = first?.endpoint ?? '';
  for (const name of [
    'x-gateway-destination-endpoint',
    'X-Gateway-Destination-Endpoint',
    'x-gateway-destination-endpoint-served',
    'x-gateway-destination-endpoint-subset',
    'x-gw-pick',
  ]) {
    const answer = await world.ask({ ...prompt, headers: { [name]: name === 'x-gw-pick' ? 'failed' : forged } });
    t.is(answer.status, 200, name);
    t.is(answer.headers['x-served'], second?.endpoint, name);
  }
  for (const { headers } of [...world.picker.asked])
    t.deepEqual(
      Object.keys(headers).filter((name) => /^x-(gateway-destination|gw-)/.test(name)),
      [],
    );
  for (const headers of second?.headers ?? [])
    t.deepEqual(
      Object.keys(headers).filter(
        (name) => name === 'x-gateway-destination-endpoint-served' || name.startsWith('x-gw-'),
      ),
      [],
    );
  pick = 'end';
  await world.pool({ failureMode: 'FailClose' });
  const closed = await world.ask({ ...prompt, headers: { 'x-gateway-destination-endpoint': forged } });
  t.is(closed.status, 503, 'a client’s word is none while the picker has nothing to say');
});

test.serial('whatever a picker names, requests stay with the model servers of its pool', async (t) => {
  let pick: Pick = { endpoint: '' };
  const outside = await startBackend(t);
  const world = await startPoolWorld(t, { picker: { pick: () => pick } });
  for (const endpoint of [
    `127.0.0.1:${outside.port}`,
    `127.0.0.11:${outside.port}`,
    '169.254.169.254:80',
    'localhost:80',
    'garbage',
    '127.0.0.1',
    ',,',
    `[::1]:${outside.port}`,
    'x'.repeat(10_000),
  ]) {
    for (const by of ['header', 'metadata', undefined] as const) {
      pick = { endpoint, ...(by && { by }) };
      const { status, headers } = await world.ask(prompt);
      t.is(status, 200, `${endpoint.slice(0, 40)} by ${by}`);
      t.regex(String(headers['x-server']), /^127\.0\.0\.1[123]$/);
    }
  }
  const good = world.servers[2]?.endpoint ?? '';
  pick = { endpoint: `127.0.0.1:${outside.port},${good}` };
  t.is((await world.ask(prompt)).headers['x-served'], good);
  t.is(outside.requests.length, 0);
});

thorough(test.serial)(
  'a picker hears of no credential, and changes neither where a request goes nor our own headers',
  async (t) => {
    const headers = { ':path': '/admin', ':authority': 'b.test', 'x-gw-ai-model': 'other', 'x-set': 'yes' };
    const pick: Pick = { endpoint: '', headers };
    const world = await startPoolWorld(t, {
      picker: { pick: () => pick },
      answer: ({ url }, response) => response.end(url),
    });
    const credentials = {
      authorization: 'Bearer one',
      cookie: 'session=two',
      'x-api-key': 'three',
      'api-key': 'four',
      'proxy-authorization': 'five',
    };
    const answer = await world.ask({ ...prompt, headers: { ...credentials, 'x-model': 'llama' } });
    t.is(answer.body, prompt.path);
    const [heard] = world.picker.asked;
    t.is(heard?.headers['x-model'], 'llama');
    for (const name of Object.keys(credentials)) t.is(heard?.headers[name], undefined, name);
    const seen = world.servers.flatMap(({ headers }) => headers)[0];
    for (const [name, value] of Object.entries(credentials)) t.is(seen?.[name], value, name);
    t.is(seen?.['x-set'], 'yes');
    t.is(seen?.host, 'a.test');
    t.is(seen?.['x-gw-ai-model'], undefined);
  },
);

thorough(test.serial)('a model server cannot have a prompt run again, whatever it writes', async (t) => {
  const world = await startPoolWorld(t, {
    picker: { pick: () => ({ endpoint: world.servers[0]?.endpoint ?? '' }) },
    pool: { failureMode: 'FailOpen', mode: 'Auto' },
    answer: (_, response) => response.writeHead(503, { 'x-gw-pick': 'failed', 'x-envoy-retry-on': '5xx' }).end('no'),
  });
  const { status, body, headers } = await world.ask(prompt);
  t.is(`${status} ${body}`, '503 no');
  t.is(headers['x-gw-pick'], undefined);
  t.is(world.servers.flatMap(({ asked }) => asked).length, 1);
});
