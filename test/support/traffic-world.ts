import type http from 'node:http';
import type { ExecutionContext } from 'ava';
import type { TrafficPolicyEntry } from '../../src/admin/index.ts';
import { type CountingBackend, type HttpAnswer, type HttpRequest, send, serviceObjects, startBackend } from './http.ts';
import { isCurrent, type Standalone, type StandaloneOptions, startStandalone } from './standalone.ts';
import { untilFits } from './until.ts';

/** A TrafficPolicy; the target is an HTTPRoute unless it says otherwise. */
export const trafficPolicy = (
  name: string,
  target: { readonly kind?: string; readonly name: string; readonly sectionName?: string },
  spec: object,
) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'TrafficPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', ...target }], ...spec },
});

/** As clients may write the hosts of routes that policies are for: exact, in capitals, with a port, of a wildcard. */
export const spellings = ['a.test', 'A.Test', 'a.test:8080', 'x.w.test'] as const;
/** Hosts of a route that no policy is for. */
export const neighbours = ['n.test', 'y.n.test'] as const;

interface PolicyObject {
  readonly metadata: { readonly name: string };
}

export interface TrafficWorld extends Standalone {
  readonly web: CountingBackend;
  /** Asks the proxy. */
  ask(host: string, more?: Partial<HttpRequest>): Promise<HttpAnswer>;
  /** Writes the policies, in place of those before, and waits until all threads of the proxy have them. */
  rule(...policies: readonly PolicyObject[]): Promise<void>;
}

const routeOf = (name: string, hostnames: readonly string[], rules: readonly object[]) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name },
  spec: { parentRefs: [{ name: 'edge' }], hostnames, rules },
});

/** A route that says which revision of the policies a thread of the proxy has: threads take what was acknowledged a moment later, in order. */
const markerOf = (revision: number) =>
  routeOf(
    'marker',
    ['marker.test'],
    [{ filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: `revision-${revision}.test` } }] }],
  );

/** A route whose requests wait for a server, as all requests of its listener then may. */
export const waitingObjects = (): readonly object[] => [
  ...serviceObjects('asked', [9]),
  routeOf('waits', ['waits.test'], [{ backendRefs: [{ name: 'web', port: 80 }] }]),
  {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name: 'waits' },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'waits' }],
      forwardAuth: { backendRef: { name: 'asked', port: 80 } },
    },
  },
];

/** Routes `web` (rule `special` for `/special`, and one for all else) and `neighbour`, to one backend that `answer` answers for. */
export async function startTrafficWorld(
  t: ExecutionContext,
  answer?: (request: http.IncomingMessage, response: http.ServerResponse) => void,
  more: Readonly<Record<string, readonly object[]>> = {},
  options: StandaloneOptions = {},
): Promise<TrafficWorld> {
  const web = await startBackend(t, answer);
  const backendRefs = [{ name: 'web', port: 80 }];
  const world = await startStandalone(
    {
      'web.yaml': serviceObjects('web', [web.port]),
      'routes.yaml': [
        routeOf(
          'web',
          ['a.test', '*.w.test'],
          [{ name: 'special', matches: [{ path: { value: '/special' } }], backendRefs }, { backendRefs }],
        ),
        routeOf('neighbour', [...neighbours.slice(0, 1), '*.n.test'], [{ backendRefs }]),
      ],
      ...more,
    },
    options,
  );
  t.teardown(world.stop);
  const ask = (host: string, asked: Partial<HttpRequest> = {}) => send(world.port, { host, ...asked });
  const settled = async () => {
    await untilFits('all of it to be applied', async () => isCurrent(world), Boolean);
  };
  await settled();
  let revision = 0;
  let names: readonly string[] = [];
  const { layout1 } = world.control.ports;
  const listed = async () =>
    ((await world.json(layout1, '/v1/traffic-policies')).body as readonly TrafficPolicyEntry[]).map(
      ({ policy }) => policy.name,
    );
  /** The control plane removes what is in no file only after a while, for it may be about to be written elsewhere. */
  const withoutFormer = async (policies: readonly PolicyObject[]) => {
    const next = policies.map(({ metadata }) => metadata.name);
    const former = names.filter((name) => !next.includes(name));
    names = next;
    if (former.length === 0) return;
    await untilFits('policies that are gone to be removed', listed, (all) => !all.some((one) => former.includes(one)));
  };
  const shown = async () => Number(/revision-(\d+)/.exec((await ask('marker.test')).headers.location ?? '')?.[1]);
  /** Connections get to all of its threads. */
  const shownToMany = () => Promise.all(Array.from({ length: 16 }, shown));
  /** Another revision with these policies, and the proxy has acknowledged all of it. */
  const become = async (policies: readonly PolicyObject[]) => {
    revision++;
    world.write('policies.yaml', markerOf(revision), ...policies);
    await withoutFormer(policies);
    await untilFits('a thread of the proxy to have it', shown, (seen) => seen === revision);
    await settled();
  };
  return {
    ...world,
    web,
    ask,
    async rule(...policies) {
      await become(policies);
      // What was acknowledged before another revision is known has reached each thread that knows that one.
      await become(policies);
      await untilFits('all threads to have it', shownToMany, (all) => all.every((each) => each === revision));
    },
  };
}
