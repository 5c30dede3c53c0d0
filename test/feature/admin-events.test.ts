import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { EventLog, EventStream } from '../../src/admin/events/index.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import { type EventReader, openEvents } from '../support/event-reader.ts';
import { until } from '../support/until.ts';

const open = (t: ExecutionContext, { ports }: TestAdmin, query?: string, lastSeen?: string): Promise<EventReader> =>
  openEvents(t, ports.layout1, query, lastSeen);

async function start(t: ExecutionContext, events = new EventLog()): Promise<TestAdmin> {
  const admin = await startAdmin(undefined, { events });
  t.teardown(() => admin.close());
  return admin;
}

test('events come as they happen, each with an id, to every reader', async (t) => {
  const admin = await start(t);
  admin.events.add('snapshot', { id: 'before' });
  const [one, other] = [await open(t, admin), await open(t, admin, '?types=node,snapshot')];
  t.is(one.response.headers['content-type'], 'text/event-stream');
  admin.events.add('snapshot', { id: 's1' });
  admin.events.add('resource', { kind: 'HTTPRoute', name: 'web' });
  admin.events.add('node', { nodeId: 'n1' });
  const reported = await one.all(3);
  t.deepEqual(
    reported.map(({ type }) => type),
    ['snapshot', 'resource', 'node'],
  );
  t.like(reported[0]?.data, { id: 's1' });
  t.regex(String(reported[0]?.data.at), /^\d{4}-.*Z$/);
  t.is(new Set(reported.map(({ id }) => id)).size, 3);
  t.deepEqual(
    (await other.all(2)).map(({ id }) => id),
    [reported[0]?.id, reported[2]?.id],
  );
});

test('a reader that leaves, as a browser does with its tab, is no error in the log', async (t) => {
  const admin = await start(t);
  const reader = await open(t, admin);
  reader.response.destroy();
  const line = await until('the end of the answer', () =>
    admin.logLines.find((each) => each.includes('could not be sent')),
  );
  t.is(JSON.parse(line).level, 'debug');
});

test('signals reach those who read now, the first at once and more together, and push out no event', async (t) => {
  const admin = await start(t, new EventLog({ capacity: 4 }));
  const [all, others] = [await open(t, admin), await open(t, admin, '?types=node')];
  for (let time = 0; time < 100; time += 1) admin.events.signal('traffic');
  const first = await all.next();
  t.is(first.type, 'traffic');
  t.is(first.id, undefined);
  t.is((await all.next()).type, 'traffic', 'the other 99 together');
  admin.events.add('node', { number: 1 });
  t.is((await all.next()).data.number, 1);
  t.is((await others.next()).data.number, 1);
  const later = await open(t, admin, '', 'none');
  t.is((await later.next()).type, 'reset');
  admin.events.add('node', { number: 2 });
  t.is((await later.next()).data.number, 2, 'who comes later is not sent a signal of before');
});

test('a reader that comes back goes on where it was', async (t) => {
  const admin = await start(t);
  const first = await open(t, admin);
  admin.events.add('node', { number: 1 });
  const { id } = await first.next();
  first.response.destroy();
  for (const number of [2, 3]) admin.events.add('node', { number });
  const again = await open(t, admin, '', id);
  t.deepEqual(
    (await again.all(2)).map(({ data }) => data.number),
    [2, 3],
  );
});

test('a reader that comes back too late, or from somewhere else, has to read everything again', async (t) => {
  const admin = await start(t, new EventLog({ capacity: 4 }));
  const first = await open(t, admin);
  admin.events.add('node', { number: 0 });
  const { id } = await first.next();
  for (let number = 1; number <= 9; number++) admin.events.add('node', { number });
  for (const lastSeen of [id, 'abc-7', 'nonsense']) {
    const again = await open(t, admin, '', lastSeen);
    const reset = await again.next();
    t.is(reset.type, 'reset');
    t.is(reset.id, undefined);
    admin.events.add('node', { number: 'new' });
    t.is((await again.next()).data.number, 'new');
  }
});

test('a reader that does not read is dropped with a notice, and the others go on', async (t) => {
  const log = new EventLog({ capacity: 4 });
  const open = () =>
    new EventStream({ log, from: log.end, reset: false, types: new Set(['node']), heartbeatMs: 60_000 });
  const [slow, quick] = [open(), open()];
  t.teardown(() => slow.destroy());
  t.teardown(() => quick.destroy());
  let taken = '';
  quick.setEncoding('utf8').on('data', (chunk: string) => {
    taken += chunk;
  });
  // Each fills what a stream keeps ready for its reader.
  const padding = 'x'.repeat(20_000);
  for (let number = 0; number < 10; number++) {
    log.add('node', { padding, number });
    while (!taken.includes(`"number":${number}}`)) await once(quick, 'data');
  }
  t.is(taken.match(/^event: node$/gm)?.length, 10);
  const late = await text(slow);
  t.regex(late, /^event: dropped\ndata: \{"reason":"too slow/m);
  t.notRegex(late, /"number":9}/);
  t.is(log.readers, 1);
});

test('streams end when the control plane does, and only known types can be asked for', async (t) => {
  const admin = await start(t);
  t.is((await admin.layout1('/v1/events?types=pod')).status, 400);
  t.is((await admin.layout1('/v1/events', { method: 'HEAD' })).headers.get('content-type'), 'text/event-stream');
  const reader = await open(t, admin);
  const closed = admin.close();
  t.is((await reader.next()).type, 'end');
  await closed;
});

test('recent events can be narrowed to a time and to an object', async (t) => {
  const admin = await startAdmin();
  t.teardown(() => admin.close());
  const event = (kind: string, name: string) =>
    admin.events.add('resource', { action: 'modified', kind, namespace: 'shop', name, generation: 1 });
  event('HTTPRoute', 'cart');
  event('Service', 'cart');
  event('HTTPRoute', 'other');
  const recent = async (query: string) => {
    const response = await admin.layout1(`/v1/events/recent?${query}`);
    return { status: response.status, body: (await response.json()) as { kind: string; name: string; at: string }[] };
  };
  const all = (await recent('')).body;
  t.is(all.length, 3);
  const ofCart = (await recent('object=httproute/shop/cart')).body;
  t.deepEqual(
    ofCart.map(({ kind, name }) => `${kind} ${name}`),
    ['HTTPRoute cart'],
  );
  t.is((await recent(`since=${all.at(-1)?.at}`)).body.length, 3);
  t.is((await recent('since=2999-01-01T00:00:00Z')).body.length, 0);
  t.is((await recent('since=yesterday')).status, 400);
  t.is((await recent('object=cart')).status, 400);
});
