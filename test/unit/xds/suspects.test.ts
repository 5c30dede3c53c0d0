import test, { type ExecutionContext } from 'ava';
import { typeUrls } from '../../../src/envoy/index.ts';
import type { EnvoyResource } from '../../../src/translate/index.ts';
import { DeltaClient } from '../../support/grpc.ts';
import { until } from '../../support/until.ts';
import { fakeResource, publisher, startXds } from '../../support/xds.ts';

/** What cannot be probed is looked for by halves of what is suspected, each offered in its place. */

const { cluster } = typeUrls;

type Content = Readonly<Record<string, string>>;

/** One resource of several parts, which can be sent without some of them, but not apart. */
const whole = (content: Content): EnvoyResource => ({
  ...fakeResource(cluster, 'all', textOf(content)),
  provenance: {
    origins: () =>
      Object.entries(content).map(([key, text]) => ({
        kind: 'backend',
        key,
        digest: BigInt(`0x${Buffer.from(text).toString('hex')}`),
      })),
    without: (_name, keys) => whole(Object.fromEntries(Object.entries(content).filter(([key]) => !keys.has(key)))),
  },
});

const textOf = (content: Content): string =>
  Object.entries(content)
    .map(([key, text]) => `${key}=${text}`)
    .join(' ');

const parts = Array.from({ length: 16 }, (_, index) => `p${index}`);

const contentWith = (bad: readonly string[]): Content =>
  Object.fromEntries(parts.map((part) => [part, bad.includes(part) ? 'bad' : 'good']));

/** One that rejects what has anything bad in it, without words about which. */
class TestedProxy {
  readonly #client: DeltaClient;
  readonly #onSent: (count: number) => void;
  /** How often it was sent something. */
  sent = 0;
  has = '';

  /** `onSent` is called before each answer. */
  constructor(t: ExecutionContext, port: number, onSent: (count: number) => void = () => {}) {
    this.#client = new DeltaClient({ target: port, nodeId: 'one' });
    this.#onSent = onSent;
    t.teardown(() => this.#client.close());
    this.#client.subscribe(cluster, '*');
  }

  /** Answers everything that has come. */
  async answer(): Promise<void> {
    while (this.#client.received.length > 0) {
      const response = await this.#client.receive(cluster);
      this.sent += 1;
      this.#onSent(this.sent);
      const text = Buffer.from(response.resources[0]?.resource?.value ?? []).toString();
      if (text.includes('bad')) this.#client.nack(response, 'no');
      else {
        this.has = text;
        this.#client.ack(response);
      }
    }
  }
}

async function world(t: ExecutionContext) {
  const { server, port } = await startXds(t);
  const rejected = () => (server.nodes.find('one')?.refusals ?? []).map(({ key }) => key);
  /** Resolves when the proxy has all parts but these, which are known to be rejected. */
  const isFound = (proxy: TestedProxy, bad: readonly string[]) => {
    const good = textOf(Object.fromEntries(parts.flatMap((part) => (bad.includes(part) ? [] : [[part, 'good']]))));
    return until('all to be found', async () => {
      await proxy.answer();
      return proxy.has === good && rejected().sort().join() === [...bad].sort().join();
    });
  };
  return { port, publish: publisher(server), isFound };
}

const halvings = Math.log2(parts.length);
/** Each halving is sent and taken back; then each half that was not at fault is offered by its own halves. */
const mostSent = (bad: number): number => 2 + bad * (2 * halvings + (halvings * (halvings + 1)) / 2);

const found = test.macro<[readonly string[]]>({
  title: (_, bad) => `of parts that are suspected together, ${bad.join(', ')} are found, and all others are served`,
  async exec(t, bad) {
    const { port, publish, isFound } = await world(t);
    publish({ upserts: [whole(contentWith(bad))] });
    const proxy = new TestedProxy(t, port);
    await isFound(proxy, bad);
    t.true(proxy.sent <= mostSent(bad.length), `${proxy.sent} were sent`);
  },
});

test(found, ['p0']);
test(found, ['p15']);
test(found, ['p0', 'p15']);
test(found, ['p7', 'p8']);
test(found, ['p1', 'p2', 'p9', 'p14']);
test(found, parts.slice(1));

test('what becomes good while it is looked for is served, and the other is found', async (t) => {
  const { port, publish, isFound } = await world(t);
  publish({ upserts: [whole(contentWith(['p3', 'p12']))] });
  const proxy = new TestedProxy(t, port, (count) => {
    if (count === 4) publish({ upserts: [whole(contentWith(['p12']))] });
  });
  await isFound(proxy, ['p12']);
  t.true(proxy.sent > 4);
});

test('what becomes bad while another is looked for is found too', async (t) => {
  const { port, publish, isFound } = await world(t);
  publish({ upserts: [whole(contentWith(['p3']))] });
  const proxy = new TestedProxy(t, port, (count) => {
    if (count === 4) publish({ upserts: [whole(contentWith(['p3', 'p4', 'p15']))] });
  });
  await isFound(proxy, ['p3', 'p4', 'p15']);
  t.true(proxy.sent > 4);
});
