import { connect } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import type { GatewayStatus } from '../../src/gateway-api/index.ts';
import type * as ir from '../../src/ir/index.ts';
import { type TestCertificate, testCertificates } from '../support/certificates.ts';
import { startBackend } from '../support/http.ts';
import {
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  httpsListener,
  listener,
  secret,
  service,
} from '../support/objects.ts';
import { fingerprintOf, oddButGood, unusable } from '../support/odd-certificates.ts';
import { type Poisons, PoisonWorld, poisoned, poisonedListener, poisonHeader, watch } from '../support/poison-world.ts';
import { every, thorough } from '../support/repetitions.ts';
import { until } from '../support/until.ts';
import type { AnyObject } from '../support/world.ts';

type Rule = Record<string, unknown>;

/** One way to write what Envoy rejects. */
interface Poison {
  /** As a user writes it, past the CRD: the graph has to say so by itself. */
  readonly rule: Rule;
  /** The same behind the graph's back: Envoy has to say so, and we find out whom it means. */
  readonly spoil: (route: ir.Route) => ir.Route;
  readonly envoySays: RegExp;
}

const requestHeaders = (changes: object): Rule => ({
  filters: [{ type: 'RequestHeaderModifier', requestHeaderModifier: changes }],
});
const responseHeaders = (changes: object): Rule => ({
  filters: [{ type: 'ResponseHeaderModifier', responseHeaderModifier: changes }],
});
const rewrite = (urlRewrite: object): Rule => ({ filters: [{ type: 'URLRewrite', urlRewrite }] });
const matching = (match: object): Rule => ({ matches: [match] });

const changing =
  (side: 'requestHeaders' | 'responseHeaders', changes: Partial<ir.HeaderChanges>) =>
  (route: ir.Route): ir.Route => ({
    ...route,
    rule: {
      ...route.rule,
      filters: { ...route.rule.filters, [side]: { set: [], add: [], remove: [], ...changes } },
    },
  });
const withMatch =
  (match: Partial<ir.RouteMatch>) =>
  (route: ir.Route): ir.Route => ({ ...route, match: { ...route.match, ...match } });
const withRewrite =
  (change: ir.UrlRewrite) =>
  (route: ir.Route): ir.Route => ({ ...route, rule: { ...route.rule, rewrite: change } });

const regex = (value: string) => ({ path: { type: 'RegularExpression', value } });
const regexPath = (value: string) => withMatch({ path: { kind: 'regex', value } });
const huge = '(abcdefghij){250}';

const poisons: Readonly<Record<string, Poison>> = {
  'a Host header is added': {
    rule: requestHeaders({ add: [{ name: 'Host', value: 'x' }] }),
    spoil: changing('requestHeaders', { add: [{ name: 'host', value: 'x' }] }),
    envoySays: /host headers may not be modified/,
  },
  'the path is set as a header': {
    rule: requestHeaders({ set: [{ name: ':path', value: '/x' }] }),
    spoil: changing('requestHeaders', { set: [{ name: ':path', value: '/x' }] }),
    envoySays: /:-prefixed/,
  },
  'Host is set in responses': {
    rule: responseHeaders({ set: [{ name: 'Host', value: 'x' }] }),
    spoil: changing('responseHeaders', { set: [{ name: 'host', value: 'x' }] }),
    envoySays: /host headers may not be modified/,
  },
  'a header without a name': {
    rule: requestHeaders({ set: [{ name: '', value: 'x' }] }),
    spoil: changing('requestHeaders', { set: [{ name: '', value: 'x' }] }),
    envoySays: /Key/,
  },
  'a line break in the value of a header': {
    rule: responseHeaders({ set: [{ name: 'x-a', value: 'a\r\nb: c' }] }),
    spoil: changing('responseHeaders', { set: [{ name: 'x-a', value: 'a\r\nb: c' }] }),
    envoySays: /Value/,
  },
  'NUL in the name of a header to remove': {
    rule: requestHeaders({ remove: ['x\0y'] }),
    spoil: changing('requestHeaders', { remove: ['x\0y'] }),
    envoySays: /RequestHeadersToRemove/,
  },
  'a lookahead': { rule: matching(regex('/a(?=b)')), spoil: regexPath('/a(?=b)'), envoySays: /invalid perl operator/ },
  'a backreference': {
    rule: matching(regex('/(a)\\1')),
    spoil: regexPath('/(a)\\1'),
    envoySays: /invalid escape sequence/,
  },
  'an expression that is too large': { rule: matching(regex(huge)), spoil: regexPath(huge), envoySays: /program size/ },
  'an empty expression': { rule: matching(regex('')), spoil: regexPath(''), envoySays: /Regex/ },
  'a prefix with a query': {
    rule: matching({ path: { type: 'PathPrefix', value: '/a?b' } }),
    spoil: withMatch({ path: { kind: 'prefix', value: '/a?b' } }),
    envoySays: /PathSeparatedPrefix/,
  },
  'a query parameter without a name': {
    rule: matching({ queryParams: [{ name: '', value: 'x' }] }),
    spoil: withMatch({ queryParams: [{ name: '', match: { kind: 'exact', value: 'x' } }] }),
    envoySays: /QueryParameter/,
  },
  'a match of a header without a name': {
    rule: matching({ headers: [{ name: '', value: 'x' }] }),
    spoil: withMatch({ headers: [{ name: '', match: { kind: 'exact', value: 'x' } }] }),
    envoySays: /Headers/,
  },
  'a line break in a rewritten path': {
    rule: rewrite({ path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/a\r\nb' } }),
    spoil: withRewrite({ path: { kind: 'prefix', from: '/poison', value: '/a\r\nb' } }),
    envoySays: /PrefixRewrite/,
  },
  'a line break in a rewritten host': {
    rule: rewrite({ hostname: 'a\r\nb' }),
    spoil: withRewrite({ host: 'a\r\nb' }),
    envoySays: /HostRewriteLiteral/,
  },
};

const unencodable = 'a number below zero';

const spoils: Poisons = {
  ...Object.fromEntries(Object.entries(poisons).map(([name, { spoil }]) => [name, spoil])),
  [unencodable]: (route) => ({ ...route, rule: { ...route.rule, retry: { codes: [], attempts: -1 } } }),
};

const route = (name: string, rules: readonly Rule[], host = 'a.test', generation = 1) =>
  httpRoute(name, { hostnames: [host], rules } as never, { generation });

const prefix = (value: string) => ({ path: { type: 'PathPrefix', value } });
const web = [{ name: 'web', port: 80 }];
const serving = (name: string, host = 'a.test', generation = 1) =>
  route(name, [{ matches: [prefix(`/${name}`)], backendRefs: web }], host, generation);

const healthy = [
  ['a.test', '/good'],
  ['b.test', '/other'],
] as const;

/** A gateway with healthy routes on two hosts, at an Envoy that has taken them. */
async function startWorld(t: ExecutionContext, variant?: 'delta' | 'sotw'): Promise<PoisonWorld> {
  // A connection that is kept open may be closed by the backend just as it is used again.
  const backend = await startBackend(t, (_, response) => response.setHeader('connection', 'close').end('ok'));
  const world = await PoisonWorld.start(t, spoils, [80, 443]);
  const slice = (name: string) => endpointSlice(name, ['127.0.0.1'], { port: backend.port });
  world.put(
    gatewayClass(),
    gateway('edge', [listener(), httpsListener('sound'), httpsListener(poisoned)]),
    secret('sound', { 'tls.crt': testCertificates[0].certificate, 'tls.key': testCertificates[0].key }),
    ...[service('web'), slice('web'), service(poisoned), slice(poisoned)],
    ...[serving('good'), serving('other', 'b.test')],
    ...Array.from({ length: 20 }, (_, index) => serving(`filler-${index}`)),
  );
  await world.startEnvoy('first', variant);
  for (const [host, path] of healthy) await world.answers(host, path);
  return world;
}

const accepted = (world: PoisonWorld) => () => world.routeCondition('poison', 'Accepted');

/** Puts the poison beside healthy routes, then a new neighbour, then takes the poison out again. */
async function applies(
  t: ExecutionContext,
  world: PoisonWorld,
  bad: readonly AnyObject[],
  condition = accepted(world),
): Promise<string> {
  const watching = watch(world, healthy);
  world.put(...bad);
  const { message } = await world.awaits('the poison to be reported', condition, 'False');
  world.put(serving('neighbour'));
  const landed = await world.answers('a.test', '/neighbour');
  world.put(serving('poison', 'a.test', 2));
  const recovered = await world.answers('a.test', '/poison');
  await world.awaits('the recovery to be reported', condition, 'True');
  world.remove(serving('poison'), serving('neighbour'));
  await until('both to be gone', async () => {
    const [one, other] = [await world.ask('a.test', '/poison'), await world.ask('a.test', '/neighbour')];
    return one.status === 404 && other.status === 404;
  });
  const { asked, wrong } = await watching.stop();
  t.deepEqual(wrong, []);
  t.true(asked >= healthy.length);
  t.log(`${message.slice(0, 160)} | neighbour ${Math.round(landed)} ms, recovery ${Math.round(recovered)} ms`);
  return message;
}

const envoyRejected = (world: PoisonWorld) => world.events.filter(({ kind }) => kind === 'nacked').length;

test.serial(
  'every poison that Envoy rejects is found, reported in its words, left out, and harms no other content',
  async (t) => {
    t.timeout(600_000);
    const world = await startWorld(t);
    const wrong: string[] = [];
    for (const [name, { envoySays }] of every(3, Object.entries(poisons))) {
      const marked = requestHeaders({ set: [{ name: poisonHeader, value: name }] });
      const before = envoyRejected(world);
      const message = await applies(t, world, [
        route('poison', [{ matches: [prefix('/poison')], ...marked, backendRefs: web }]),
      ]);
      if (!envoySays.test(message)) wrong.push(`${name}: ${message}`);
      if (envoyRejected(world) - before !== 1)
        wrong.push(`${name}: ${envoyRejected(world) - before} NACKs, where one will do`);
    }
    t.deepEqual(wrong, []);
    t.true(Object.keys(poisons).length >= 12);
    t.deepEqual([...world.graph.rejections()], []);
  },
);

thorough(test.serial)('the same on a stream that repeats the state of the world', async (t) => {
  t.timeout(600_000);
  const world = await startWorld(t, 'sotw');
  const marked = requestHeaders({ set: [{ name: poisonHeader, value: 'a lookahead' }] });
  const bad = route('poison', [{ matches: [prefix('/poison')], ...marked, backendRefs: web }]);
  t.regex(await applies(t, world, [bad]), /invalid perl operator/);
  t.is(envoyRejected(world), 1);
});

test.serial('what cannot even be encoded is left out and reported, and everything else is published', async (t) => {
  t.timeout(600_000);
  const world = await startWorld(t);
  const marked = requestHeaders({ set: [{ name: poisonHeader, value: unencodable }] });
  const bad = route('poison', [{ matches: [prefix('/poison')], ...marked, backendRefs: web }]);
  t.regex(await applies(t, world, [bad]), /uint32/);
  t.is(envoyRejected(world), 0);
});

thorough(test.serial)('every poison that can be known beforehand never gets as far as Envoy', async (t) => {
  t.timeout(600_000);
  const world = await startWorld(t);
  for (const [name, { rule }] of Object.entries(poisons)) {
    const message = await applies(t, world, [
      route('poison', [{ matches: [prefix('/poison')], backendRefs: web, ...rule }]),
    ]);
    t.regex(message, /^rule 0: /, name);
  }
  t.is(envoyRejected(world), 0);
});

test.serial(
  'a proxy that starts while poison stands serves the good part at once, and tries the rest by itself',
  async (t) => {
    t.timeout(300_000);
    const world = await startWorld(t);
    const marked = (index: number, name: string) =>
      route(`poison-${index}`, [
        { matches: [prefix(`/p${index}`)], ...requestHeaders({ set: [{ name: poisonHeader, value: name }] }) },
      ]);
    const names = Object.keys(poisons).slice(0, 3);
    world.put(...names.map((name, index) => marked(index, name)));
    const accepted = (index: number) => () => world.routeCondition(`poison-${index}`, 'Accepted');
    for (const index of names.keys()) await world.awaits('the poison to be reported', accepted(index), 'False');
    await world.startEnvoy('fresh');
    // With the first answer that has routes, or requests would be answered 404 until the bad routes are found.
    await until('the port to be open', () => world.ask('a.test', '/good').catch(() => undefined));
    for (const [host, path] of healthy) t.is((await world.ask(host, path)).status, 200);
    const events = () => world.events.filter(({ node }) => node.nodeId === 'fresh');
    await until('the fresh proxy to have it all', () => events().some(({ kind }) => kind === 'applied'));
    t.deepEqual(
      events()
        .at(-1)
        ?.node.refusals.map(({ key }) => key)
        .sort(),
      names.map((_, index) => `httproute/default/poison-${index}`),
    );
    for (const index of names.keys()) t.is(accepted(index)()?.status, 'False', 'all the while');
  },
);

thorough(test.serial)(
  'a backend, and a certificate, that Envoy rejects are reported where they are used',
  async (t) => {
    t.timeout(300_000);
    const world = await startWorld(t);
    const usingBad = route('poison', [{ matches: [prefix('/poison')], backendRefs: [{ name: poisoned, port: 80 }] }]);
    const resolved = () => world.routeCondition('poison', 'ResolvedRefs');
    const message = await applies(t, world, [usingBad], resolved);
    t.regex(message, /Service default\/poisoned.*Sni/);

    const watching = watch(world, healthy);
    const [, pair] = testCertificates;
    world.put(secret(poisoned, { 'tls.crt': pair.certificate, 'tls.key': pair.key }));
    const programmed = (name: string) => () =>
      (world.graph.statusOf('Gateway', 'default/edge') as GatewayStatus | undefined)?.listeners
        .find((each) => each.name === name)
        ?.conditions.find(({ type }) => type === 'Programmed');
    const reported = await until('the certificate to be reported', () => {
      const found = programmed(poisoned)();
      return /rejected by the proxy/.test(found?.message ?? '') && found;
    });
    t.like(reported, { status: 'False', reason: 'Invalid' });
    t.notRegex(programmed('sound')()?.message ?? '', /rejected/);
    t.deepEqual((await watching.stop()).wrong, []);
  },
);

const leavesThePort = test.macro(async (t, variant: 'delta' | 'sotw') => {
  t.timeout(300_000);
  const world = await startWorld(t, variant);
  const secure = (name: string, hostname?: string) =>
    listener({ name, port: 443, protocol: 'HTTPS', hostname, tls: { certificateRefs: [{ name: 'sound' }] } } as never);
  const programmed = (name: string) =>
    (world.graph.statusOf('Gateway', 'default/edge') as GatewayStatus | undefined)?.listeners
      .find((each) => each.name === name)
      ?.conditions.find(({ type }) => type === 'Programmed');
  const others = ['a', 'b', 'c', 'd', 'e'].map((name) => secure(name, `${name}.example`));
  world.put(gateway('edge', [listener(), secure('sound', 'sound.test'), secure('rest'), ...others]));
  await until('the port to be open', () => shown(world, 'e.example'));
  const watching = watch(world, healthy);
  const bad = secure(poisonedListener, 'bad.test');
  world.put(gateway('edge', [listener(), secure('sound', 'sound.test'), bad, secure('rest'), ...others]));
  const reported = await until('the listener to be reported', () => {
    const found = programmed(poisonedListener);
    return /rejected by the proxy/.test(found?.message ?? '') && found;
  });
  t.regex(reported.message, /this listener is rejected by the proxy.*NO-SUCH-CIPHER/);
  // A new neighbour comes in, and no wider listener takes the clients of the one that is out.
  world.put(
    gateway('edge', [
      listener(),
      secure('sound', 'sound.test'),
      bad,
      secure('rest'),
      ...others,
      secure('new', 'new.example'),
    ]),
  );
  await until('the neighbour to serve', () => shown(world, 'new.example'));
  await until('a neighbour to serve', () => shown(world, 'sound.test'));
  await until('the listener of all other hosts to serve', () => shown(world, 'any.example'));
  // Each of Envoy's threads takes a new listener when it comes to it.
  await until('the host to be closed', async () => (await shown(world, 'bad.test')) === undefined);
  for (const name of ['sound', 'rest', 'new', 'a']) t.notRegex(programmed(name)?.message ?? '', /rejected/, name);
  t.deepEqual((await watching.stop()).wrong, []);
  world.put(gateway('edge', [listener(), secure('sound', 'sound.test'), secure('fixed', 'bad.test'), secure('rest')]));
  await until('the fixed listener to serve', () => shown(world, 'bad.test'));
});

for (const variant of every(2, ['delta', 'sotw'] as const)) {
  test.serial(
    `${variant}: a listener that Envoy rejects closes its own host, and leaves its port to its neighbours`,
    leavesThePort,
    variant,
  );
}

thorough(test.serial)('of a port with one listener only that one is reported', async (t) => {
  t.timeout(300_000);
  const world = await startWorld(t);
  const bad = {
    name: poisonedListener,
    port: 443,
    protocol: 'HTTPS',
    hostname: 'bad.test',
    tls: { certificateRefs: [{ name: 'sound' }] },
  };
  const watching = watch(world, healthy);
  world.put(gateway('edge', [listener(), listener(bad as never)]));
  await until('the listener to be reported', () =>
    (world.graph.statusOf('Gateway', 'default/edge') as GatewayStatus | undefined)?.listeners
      .find((each) => each.name === poisonedListener)
      ?.conditions.some(({ message }) => /this listener is rejected by the proxy/.test(message)),
  );
  t.deepEqual((await watching.stop()).wrong, []);
});

/** The fingerprint of the certificate that the HTTPS listener shows for a name. */
const shown = (world: PoisonWorld, servername: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const port = world.ports.get(443);
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256);
      socket.destroy();
    });
    socket.once('error', () => resolve(undefined));
  });

thorough(test.serial)('Envoy serves with good certificates in any spelling, whatever is put beside them', async (t) => {
  t.timeout(300_000);
  const world = await startWorld(t);
  const put = (name: string, { certificate, key }: TestCertificate) =>
    world.put(secret(name, { 'tls.crt': certificate, 'tls.key': key }));
  for (const [name, pair] of Object.entries(await oddButGood())) {
    put('sound', pair);
    const wanted = fingerprintOf(pair.certificate);
    await until(`${name} to be shown`, async () => (await shown(world, 'sound.test')) === wanted);
  }
  const before = await shown(world, 'sound.test');
  const resolved = () =>
    (world.graph.statusOf('Gateway', 'default/edge') as GatewayStatus | undefined)?.listeners
      .find((each) => each.name === poisoned)
      ?.conditions.find(({ type }) => type === 'ResolvedRefs');
  for (const [name, { says, ...pair }] of Object.entries(await unusable())) {
    put(poisoned, pair);
    const found = await until(`${name} to be reported`, () => says.test(resolved()?.message ?? '') && resolved());
    t.like(found, { status: 'False', reason: 'InvalidCertificateRef' }, name);
    t.is(await shown(world, 'sound.test'), before, name);
  }
  t.is(envoyRejected(world), 0);
});
