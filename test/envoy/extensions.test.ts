import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { ProcessingRequest } from '../../src/envoy/index.ts';
import {
  actsOnItsTarget,
  conditionOf,
  levels,
  markedBy,
  processedBy,
  startExtensionWorld,
} from '../support/extension-world.ts';
import { serviceObjects } from '../support/http.ts';
import { headersOf, passing, type Reply, setting } from '../support/processor.ts';
import { every, thorough } from '../support/repetitions.ts';
import { neighbours, spellings, trafficPolicy } from '../support/traffic-world.ts';
import { until, untilFits } from '../support/until.ts';

interface Failures {
  readonly items: readonly {
    readonly status: number;
    readonly details: string;
    readonly explanation: { readonly summary: string } | null;
  }[];
}

/** ExtensionPolicies with a processor, through the running program and a real Envoy. */

const gateway = { kind: 'Gateway', name: 'edge' };
const web = { name: 'web' };

/** Writes its name behind those that are there: into `x-seen` of requests and `x-answered` of answers. */
const marks =
  (name: string) =>
  (message: ProcessingRequest): Reply => {
    const { case: kind, value } = message.request;
    if (kind === 'requestHeaders') {
      const { 'x-seen': before = '' } = headersOf(value.headers);
      return setting(message, { 'x-seen': `${before}${name}` });
    }
    if (kind === 'responseHeaders') {
      const { 'x-answered': before = '' } = headersOf(value.headers);
      return setting(message, { 'x-answered': `${before}${name}` });
    }
    return passing(message);
  };

for (const { level, target, ...reach } of every(2, levels)) {
  test(`a processor of a ${level} changes its requests and answers and no others`, async (t) => {
    const world = await startExtensionWorld(t, { one: marks('1') });
    await world.rule(processedBy('one', target));
    await actsOnItsTarget(t, world, reach);
    await world.rule();
    for (const host of [...spellings, ...neighbours])
      await untilFits(
        `${host} to be as before`,
        () => markedBy(world)(host, '/special'),
        (seen) => seen === '200  ',
      );
  });
}

thorough(test)(
  'extensions of levels come in their order, two of them at most, and one that is left out says so',
  async (t) => {
    const world = await startExtensionWorld(t, { one: marks('1'), two: marks('2'), three: marks('3') });
    const look = async (host: string) => {
      const { headers } = await world.ask(host, { path: '/special' });
      return `${world.web.seen.at(-1)?.['x-seen'] ?? ''} ${headers['x-answered'] ?? ''}`;
    };
    const { layout1 } = world.control.ports;
    const accepted = (name: string) => conditionOf(world, name, 'Accepted');
    await world.rule(processedBy('two', web), processedBy('one', gateway));
    t.is(await look('a.test'), '12 21');
    t.is(await look('n.test'), '1 1');
    await world.rule(
      processedBy('three', { ...web, sectionName: 'special' }, {}, { onFailure: 'Allow' }),
      processedBy('two', web),
      processedBy('one', gateway),
    );
    t.is(await look('a.test'), '12 21');
    const left = await untilFits(
      'the policy to say it',
      () => accepted('three'),
      (found) => found?.status === 'False',
    );
    t.is(left?.reason, 'Conflicted');
    t.regex(
      left?.message ?? '',
      /rule special of HTTPRoute default\/web, where ExtensionPolicies default\/one and default\/two act .* and requests do without it/,
    );
    t.is(accepted('two')?.status, 'True');
    const { body } = await world.json(layout1, '/v1/traffic-policies?target=HTTPRoute/default/web');
    t.deepEqual(
      (body as readonly { policy: { name: string }; rule: number; state: string }[])
        .filter(({ rule }) => rule === 0)
        .map(({ policy, state }) => [policy.name, state]),
      [
        ['one', 'inForce'],
        ['two', 'inForce'],
        ['three', 'leftOut'],
      ],
    );
    // The Gateway's goes: those behind it come nearer.
    await world.rule(processedBy('three', { ...web, sectionName: 'special' }), processedBy('two', web));
    t.is(
      await untilFits(
        'the two that are left',
        () => look('a.test'),
        (seen) => seen === '23 32',
      ),
      '23 32',
    );
    t.is(await look('n.test'), ' ');
    t.is(accepted('three')?.status, 'True');
  },
);

const upper = (message: ProcessingRequest): Reply => {
  const { case: kind, value } = message.request;
  if (kind !== 'requestBody' && kind !== 'responseBody') return passing(message);
  const body = Buffer.from(Buffer.from(value.body).toString().replaceAll('a', 'AA'));
  return passing(message, { bodyMutation: { mutation: { case: 'body', value: body } } });
};

thorough(test)('answers whose bandwidth is limited pass a processor whole', async (t) => {
  const world = await startExtensionWorld(t, { one: marks('1') });
  const bandwidth = { perRequest: { response: '1Gi' }, total: { request: '1Gi', response: '1Gi' } };
  await world.rule(trafficPolicy('slow', web, { bandwidth }), processedBy('one', web));
  // One in three was cut where the filter that holds answers back stood in front of the one that waits.
  for (let round = 0; round < 40; round++) {
    const { body, headers } = await world.ask('a.test', { method: 'POST', body: 'banana' });
    t.deepEqual([body, headers['x-answered']], ['banana', '1']);
  }
});

for (const [request, response, expected] of every(6, [
  ['Buffered', 'None', 'bAAnAAnAA'],
  ['None', 'Buffered', 'bAAnAAnAA'],
  ['Streamed', 'Streamed', 'bAAnAAnAA'],
  ['BufferedPartial', 'None', 'bAAnAAnAA'],
  ['None', 'None', 'banana'],
] as const)) {
  test(`a processor changes bodies that it gets: request ${request}, answer ${response}`, async (t) => {
    const world = await startExtensionWorld(t, { one: upper });
    await world.rule(processedBy('one', web, { request: { body: request }, response: { body: response } }));
    const ask = (headers: Record<string, string>) => world.ask('a.test', { method: 'POST', body: 'banana', headers });
    const framings: readonly Record<string, string>[] = [{}, { 'transfer-encoding': 'chunked' }];
    for (const headers of framings) {
      const { status, body } = await ask(headers);
      t.is(status, 200);
      t.is(body, expected);
    }
    t.is((await world.ask('n.test', { method: 'POST', body: 'banana' })).body, 'banana');
  });
}

thorough(test)('a processor with buffered bodies lets connections change their protocol', async (t) => {
  const world = await startExtensionWorld(t, { one: marks('1') }, (request, response) => response.end(request.url));
  await world.rule(processedBy('one', gateway, { request: { body: 'Buffered' }, response: { body: 'Buffered' } }));
  const socket = connect(world.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  let text = '';
  socket.on('data', (data: Buffer) => {
    text += data.toString('latin1');
  });
  await once(socket, 'connect');
  socket.write(
    'GET /chat HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  );
  // The backend knows no WebSocket, and answers as it would without. A body that is waited for would have no end.
  await until('an answer', () => text.includes('HTTP/1.1'));
  t.regex(text, /^HTTP\/1\.1 200 /);
  t.is(world.web.seen.at(-1)?.['x-seen'], '1');
});

thorough(test)(
  'a processor answers in place of backends, and gets the headers, attributes and halves that its policy names',
  async (t) => {
    const world = await startExtensionWorld(t, {
      one: (message) =>
        message.request.case === 'requestHeaders' && headersOf(message.request.value.headers)['x-stop']
          ? { response: { case: 'immediateResponse', value: { status: { code: 402 }, body: Buffer.from('pay') } } }
          : passing(message),
    });
    const { one } = world.processors;
    await world.rule(
      processedBy('one', web, {
        headers: ['X-Stop', ':path'],
        request: { attributes: ['request.method', 'source.address'] },
        response: { headers: 'Skip' },
      }),
    );
    const { status, body } = await world.ask('a.test', {
      path: '/special?q=1',
      headers: { 'x-stop': 'yes', 'x-other': 'no' },
    });
    t.deepEqual([status, body], [402, 'pay']);
    t.is(world.web.requests.filter((path) => path.startsWith('/special')).length, 0);
    const [asked] = one.asked;
    t.is(asked?.request.case, 'requestHeaders');
    if (asked?.request.case === 'requestHeaders')
      t.deepEqual(headersOf(asked.request.value.headers), { ':path': '/special?q=1', 'x-stop': 'yes' });
    const attributes = asked?.attributes['envoy.filters.http.ext_proc'];
    t.is(attributes?.['request.method'], 'GET');
    t.regex(String(attributes?.['source.address']), /^127\.0\.0\.1:/);
    t.is((await world.ask('a.test')).status, 200);
    t.true(one.asked.every(({ request }) => request.case === 'requestHeaders'));
  },
);

thorough(test)(
  'a processor in shadow sees requests and answers, changes nothing, and nothing waits for it',
  async (t) => {
    const world = await startExtensionWorld(t, { one: marks('1'), mute: () => 'silence' });
    for (const name of ['one', 'mute'] as const) {
      await world.rule(processedBy(name, gateway, { shadow: true }));
      const { status, headers } = await world.ask('a.test');
      t.deepEqual(
        [status, headers['x-answered'], world.web.seen.at(-1)?.['x-seen']],
        [200, undefined, undefined],
        name,
      );
      await until('it to see both', () =>
        ['requestHeaders', 'responseHeaders'].every((kind) =>
          world.processors[name].asked.some(({ request }) => request.case === kind),
        ),
      );
    }
    await world.rule(processedBy('none', gateway, { shadow: true }));
    t.is((await world.ask('a.test')).status, 200, 'nor is it missed');
  },
);

const failing: Readonly<Record<string, (message: ProcessingRequest) => Reply>> = {
  mute: () => 'silence',
  slow: () => ({ overrideMessageTimeout: { seconds: 3600n } }),
  garbage: () => 'garbage',
  reset: () => 'reset',
  odd: () => ({ response: { case: 'responseTrailers', value: {} } }),
};

for (const [name, reply] of every(8, Object.entries(failing))) {
  // Envoy has a status of its own for what takes too long.
  const takesLong = name === 'mute' || name === 'slow';
  const expected = takesLong ? 504 : 502;
  test(`what a processor cannot process is answered with an error, or goes on with onFailure: Allow: ${name}`, async (t) => {
    const world = await startExtensionWorld(t, { bad: reply });
    const extProc = { statusOnError: 502, ...(takesLong && { timeout: '200ms' }) };
    await world.rule(processedBy('bad', web, extProc));
    for (const host of spellings) t.is((await world.ask(host)).status, expected, host);
    for (const host of neighbours) t.is((await world.ask(host)).status, 200, host);
    const failures = await untilFits(
      'failures to be shown',
      async () => (await world.json(world.control.ports.layout1, '/v1/failures?limit=500')).body as Failures,
      ({ items }) => items.some(({ status }) => status === expected),
    );
    const found = failures.items.find(({ status }) => status === expected);
    t.regex(found?.details ?? '', /^(ext_proc|spurious_message)/);
    t.regex(found?.explanation?.summary ?? '', /^The processor of an ExtensionPolicy /, found?.details);
    await world.rule(processedBy('bad', web, extProc, { onFailure: 'Allow' }));
    for (const host of spellings) t.is((await world.ask(host)).status, 200, host);
  });
}

for (const target of every(2, [web, { ...gateway, sectionName: 'http' }])) {
  test(`a processor that is not there closes its targets and no others, until it comes: ${JSON.stringify(target)}`, async (t) => {
    const world = await startExtensionWorld(t, { one: marks('1') });
    const statusOf = async (host: string) => (await world.ask(host)).status;
    const answers = (status: number) =>
      untilFits(
        `the answer ${status}`,
        () => statusOf('a.test'),
        (seen) => seen === status,
      );
    world.write('policies.yaml', processedBy('late', target));
    await answers(503);
    t.is(await statusOf('n.test'), target === web ? 200 : 503);
    const said = await untilFits(
      'its status',
      () => conditionOf(world, 'late', 'ResolvedRefs'),
      (found) => found?.status === 'False',
    );
    t.is(said?.reason, 'BackendNotFound');
    t.regex(said?.message ?? '', /until then its targets are answered 503$/);
    world.write('policies.yaml', processedBy('late', target, {}, { onFailure: 'Allow' }));
    await answers(200);
    world.write('policies.yaml', processedBy('late', target));
    await answers(503);
    world.write('late.yaml', ...serviceObjects('late', [world.processors.one.port]));
    await answers(200);
    t.is(world.web.seen.at(-1)?.['x-seen'], '1');
    world.remove('late.yaml');
    await answers(503);
  });
}

thorough(test)('a processor of which one endpoint is gone processes all requests by the others', async (t) => {
  const world = await startExtensionWorld(t, { one: marks('1') });
  const gone = await freePort();
  world.write('processor-one.yaml', ...serviceObjects('one', [world.processors.one.port, gone]));
  await world.rule(processedBy('one', web));
  const statuses: number[] = [];
  for (let count = 0; count < 40; count++) statuses.push((await world.ask('a.test')).status);
  t.deepEqual([...new Set(statuses)], [200]);
});

thorough(test)('large bodies pass a processor piece by piece, whole and in order', async (t) => {
  const world = await startExtensionWorld(t, { one: passing });
  await world.rule(processedBy('one', web, { request: { body: 'Streamed' }, response: { body: 'Streamed' } }));
  const body = Array.from({ length: 1 << 19 }, (_, at) => at % 10).join('');
  for (const host of ['a.test', 'x.w.test']) {
    const answer = await world.ask(host, { method: 'POST', body });
    t.is(answer.status, 200);
    t.is(answer.body.length, body.length);
    t.true(answer.body === body);
  }
});
