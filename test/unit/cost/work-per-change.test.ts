import test, { type ExecutionContext } from 'ava';
import { issue } from '../../support/certificates.ts';
import {
  dataPlane,
  dataPlaneRef,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  ownObject,
  referenceGrant,
  secret,
  service,
} from '../../support/objects.ts';
import { type Outcome, Pipeline } from '../../support/pipeline.ts';
import { repetitions, thorough } from '../../support/repetitions.ts';
import { WorkCounter } from '../../support/work-count.ts';

// Both take two bytes in the manifest, which contains the number of routes.
const few = 200;
const many = repetitions({ few: 500, all: 1_000 });
/** Of one host. */
const manyOfOneHost = 1_000;

/**
 * Half a block per further route: a walk over all of them takes at least one each, however small its body. What is left
 * is for the nodes of persistent maps, which have more entries to copy, up to 32, where there are more routes.
 */
const tolerance = (many - few) / 2;

const route = (index: number, filters: string[] = []) =>
  httpRoute(`r${index}`, {
    hostnames: [`h${index}.example.com`],
    rules: [
      {
        filters: filters.map((value) => ({
          type: 'RequestHeaderModifier',
          requestHeaderModifier: { set: [{ name: 'x-changed', value }] },
        })),
        backendRefs: [{ name: `s${index}`, port: 80 }],
      },
    ],
  });
const backend = (index: number, address = '10.0.0.1') => [service(`s${index}`), endpointSlice(`s${index}`, [address])];

const tlsSecret = async () => {
  const { certificate, key } = await issue('*.example.com');
  return secret('tls', { 'tls.crt': certificate, 'tls.key': key });
};
const [certificate, renewed] = [await tlsSecret(), await tlsSecret()];
const tls = { mode: 'Terminate' as const, certificateRefs: [{ name: 'tls' }] };

/** A Gateway with HTTP and HTTPS and `routes` routes, each with a host and a backend of its own. */
function worldOf(routes: number): Pipeline {
  const pipeline = new Pipeline('default/edge');
  const listeners = [{}, { name: 'https', port: 443, protocol: 'HTTPS', hostname: '*.example.com', tls }];
  pipeline.put(
    gatewayClass(),
    gateway('edge', listeners, { infrastructure: { parametersRef: dataPlaneRef('edge') } }),
    dataPlane('edge'),
    certificate,
    ...Array.from({ length: routes }, (_, index) => [route(index), ...backend(index)]).flat(),
  );
  return pipeline;
}

const accessPolicy = (name: string, kind: string, target: string, network = '10.0.0.0/8') =>
  ownObject('AccessPolicy', name, {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: target }],
    clientIPs: { allow: [network] },
  });

const answer = (name: string, status: number) => ownObject('HTTPFilter', name, { directResponse: { status } });
const answered = (index: number, name: string) =>
  httpRoute(`r${index}`, {
    hostnames: [`h${index}.example.com`],
    rules: [
      {
        filters: [{ type: 'ExtensionRef', extensionRef: { group: 'gatewright.dev', kind: 'HTTPFilter', name } }],
      },
    ],
  });

/** By name: one change to either world. */
const steps: Readonly<Record<string, (pipeline: Pipeline) => Outcome>> = {
  'a new route on a new host': (pipeline) => pipeline.put(route(5_000), ...backend(5_000)),
  'a route gets a filter': (pipeline) => pipeline.put(route(7, ['once'])),
  'a route goes': (pipeline) => pipeline.remove(route(8)),
  'a backend moves': (pipeline) => pipeline.put(...backend(9, '10.0.0.2')),
  'a certificate is renewed': (pipeline) => pipeline.put(renewed),
  'proxies are to be more': (pipeline) => pipeline.put(dataPlane('edge', { replicas: 2 })),
  'a Service without routes': (pipeline) => pipeline.put(...backend(6_000)),
  'a grant without use': (pipeline) =>
    pipeline.put(referenceGrant('other', { from: ['HTTPRoute', 'elsewhere'], to: ['Service'] })),
  'a Gateway gets a policy of access': (pipeline) => pipeline.put(accessPolicy('edge', 'Gateway', 'edge')),
  'a policy of a Gateway changes': (pipeline) => pipeline.put(accessPolicy('edge', 'Gateway', 'edge', '192.0.2.0/24')),
  'a policy of a Gateway is invalid': (pipeline) => pipeline.put(accessPolicy('edge', 'Gateway', 'edge', '10.1.2.3/8')),
  'a policy of a Gateway is removed': (pipeline) => pipeline.remove(accessPolicy('edge', 'Gateway', 'edge')),
  'a route gets a policy of access': (pipeline) => pipeline.put(accessPolicy('one', 'HTTPRoute', 'r10')),
  'a route gets a filter of our own kind': (pipeline) => pipeline.put(answer('own', 410), answered(11, 'own')),
  'a filter of our own kind changes': (pipeline) => pipeline.put(answer('own', 451)),
  'a filter of our own kind that no route names': (pipeline) => pipeline.put(answer('idle', 410)),
  'a policy of access without a target': (pipeline) => pipeline.put(accessPolicy('idle', 'HTTPRoute', 'nowhere')),
};

/** Of which proxies get the manifest alone. */
const unseen = [
  'a Service without routes',
  'a grant without use',
  'a policy of access without a target',
  'a filter of our own kind that no route names',
];

interface Measured extends Outcome {
  /** Of code that ran. */
  readonly blocks: number;
}

interface Comparison {
  readonly counter: WorkCounter;
  /** A small one and a large one. */
  readonly worlds: readonly Pipeline[];
  readonly step: (pipeline: Pipeline) => Outcome;
}

/** What the same change costs in both worlds. */
function costsOf(t: ExecutionContext, name: string, { counter, worlds, step }: Comparison): [Measured, Measured] {
  const [small, large] = worlds.map((world) => {
    let outcome: Outcome | undefined;
    const blocks = counter.count(() => {
      outcome = step(world);
    });
    return { blocks, ...(outcome as Outcome) };
  }) as [Measured, Measured];
  t.log(`${name}: ${small.blocks} / ${large.blocks} blocks, ${large.bytes} bytes, ${large.statuses} statuses`);
  return [small, large];
}

test('what one change costs does not follow the number of routes', (t) => {
  t.timeout(300_000);
  using counter = new WorkCounter();
  const worlds = [worldOf(few), worldOf(many)];
  const bytes = new Map<string, number>();
  for (const [name, step] of Object.entries(steps)) {
    const [small, large] = costsOf(t, name, { counter, worlds, step });
    t.true(large.blocks > 0, `${name}: something was counted`);
    t.true(
      large.blocks - small.blocks < tolerance,
      `${name}: ${small.blocks} blocks of code ran with ${few} routes, ${large.blocks} with ${many}`,
    );
    const sent = ({ bytes, responses, statuses }: Outcome) => ({ bytes, responses, statuses });
    t.deepEqual(sent(large), sent(small), `${name}: bytes, responses and status writes`);
    bytes.set(name, large.bytes);
  }
  t.is(new Set(unseen.map((name) => bytes.get(name))).size, 1, 'what no route uses sends nothing of its own');
});

/** A Gateway with `routes` routes, all with the same policy: more than one above them would be worth it for. */
function repeatedWorldOf(routes: number): Pipeline {
  const pipeline = new Pipeline('default/edge');
  pipeline.put(
    gatewayClass(),
    gateway('edge', [{}]),
    ...backend(1),
    ...Array.from({ length: routes }, (_, index) => [
      repeated(index),
      accessPolicy(`p${index}`, 'HTTPRoute', `r${index}`),
    ]).flat(),
  );
  return pipeline;
}

const repeated = (index: number) =>
  httpRoute(`r${index}`, {
    hostnames: [`h${index}.example.com`],
    rules: [{ backendRefs: [{ name: 's1', port: 80 }] }],
  });

test('what a policy of a route costs does not follow the number of those that have the same part', (t) => {
  using counter = new WorkCounter();
  const worlds = [repeatedWorldOf(few), repeatedWorldOf(many)];
  const repeatedSteps: typeof steps = {
    'one more': (pipeline) => pipeline.put(repeated(5_000), accessPolicy('p5000', 'HTTPRoute', 'r5000')),
    'it gets another part': (pipeline) => pipeline.put(accessPolicy('p5000', 'HTTPRoute', 'r5000', '10.1.0.0/16')),
    'it goes': (pipeline) => pipeline.remove(accessPolicy('p5000', 'HTTPRoute', 'r5000')),
  };
  for (const [name, step] of Object.entries(repeatedSteps)) {
    const [small, large] = costsOf(t, name, { counter, worlds, step });
    t.true(large.blocks > 0 && large.blocks - small.blocks < tolerance, `${name}: ${small.blocks}, ${large.blocks}`);
    t.true(large.statuses <= 3, `${name}: ${large.statuses} statuses`);
    t.is(large.statuses, small.statuses, name);
  }
});

const fleet = 'gatewright-system/class:gatewright';

/** Gateways that share their proxies, the first of which has `routes` routes. */
function sharedWorldOf(routes: number, gateways: number): Pipeline {
  const pipeline = new Pipeline(fleet);
  pipeline.put(
    gatewayClass('gatewright', undefined, { parametersRef: dataPlaneRef('pool', 'default') }),
    dataPlane('pool', { shared: {} }),
    certificate,
    // No catch-all, which the neighbours would take hosts from: its routes are then looked at.
    gateway('edge', [
      { hostname: '*.example.com' },
      { name: 'https', port: 443, protocol: 'HTTPS', hostname: '*.example.com', tls },
    ]),
    ...Array.from({ length: gateways }, (_, index) => neighbour(index)),
    ...Array.from({ length: routes }, (_, index) => [route(index), ...backend(index)]).flat(),
  );
  return pipeline;
}

const neighbour = (index: number) => gateway(`g${index}`, [{ hostname: `g${index}.example.org` }]);

thorough(test)(
  'what a route costs does not follow the number of Gateways that share its proxies, nor a Gateway the routes of others',
  (t) => {
    t.timeout(300_000);
    using counter = new WorkCounter();
    const compare = (name: string, worlds: readonly Pipeline[], step: (pipeline: Pipeline) => Outcome) => {
      const [small, large] = costsOf(t, name, { counter, worlds, step });
      t.true(large.blocks > 0 && large.blocks - small.blocks < tolerance, name);
      t.is(large.bytes, small.bytes, name);
      t.is(large.statuses, small.statuses, name);
    };
    const byGateways = [sharedWorldOf(10, few), sharedWorldOf(10, many)];
    compare('a new route', byGateways, (pipeline) => pipeline.put(route(5_000), ...backend(5_000)));
    compare('a route goes', byGateways, (pipeline) => pipeline.remove(route(5_000)));
    compare('a backend moves', byGateways, (pipeline) => pipeline.put(...backend(9, '10.0.0.2')));
    const byRoutes = [sharedWorldOf(few, 10), sharedWorldOf(many, 10)];
    compare('a new Gateway', byRoutes, (pipeline) => pipeline.put(neighbour(5_000)));
    compare('a Gateway goes', byRoutes, (pipeline) => pipeline.remove(neighbour(5_000)));
  },
);

/** A Gateway with `routes` routes on one host. */
function wideWorldOf(routes: number): Pipeline {
  const pipeline = new Pipeline('default/edge');
  const all = Array.from({ length: routes }, (_, index) => below(index));
  pipeline.put(gatewayClass(), gateway('edge', [{}]), ...backend(1), ...all);
  return pipeline;
}

const below = (index: number, ...statusCodes: readonly (301 | 302)[]) =>
  httpRoute(`r${index}`, {
    hostnames: ['wide.example.com'],
    rules: [
      { matches: [{ path: { type: 'PathPrefix', value: `/r${index}` } }], backendRefs: [{ name: 's1', port: 80 }] },
      ...statusCodes.map((statusCode) => ({
        matches: [{ path: { type: 'Exact' as const, value: `/r${index}/away` } }],
        filters: [{ type: 'RequestRedirect' as const, requestRedirect: { statusCode } }],
      })),
    ],
  });

thorough(test)('what is sent for one route of a host does not follow the number of its routes', (t) => {
  t.timeout(300_000);
  using counter = new WorkCounter();
  // More than src/translate/hosts/host-cut.ts leaves in one scope.
  const worlds = [wideWorldOf(600), wideWorldOf(manyOfOneHost)];
  const wideSteps: typeof steps = {
    'a new route': (pipeline) => pipeline.put(below(5_000)),
    'a route changes': (pipeline) => pipeline.put(below(7, 302)),
    'a route goes': (pipeline) => pipeline.remove(below(8)),
  };
  for (const [name, step] of Object.entries(wideSteps)) {
    const [small, large] = costsOf(t, name, { counter, worlds, step });
    const sent = ({ bytes, responses, statuses }: Outcome) => ({ bytes, responses, statuses });
    t.true(large.bytes < 2_000, `${name}: ${large.bytes} bytes`);
    t.deepEqual(sent(large), sent(small), name);
  }
});
