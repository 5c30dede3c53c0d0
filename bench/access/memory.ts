/**
 * What one access policy, or the same one many times, keeps in memory: routes with a host each, of which all have the same demand, by the level at which
 * it is written. One Envoy, the control plane's graph and translation in this process; each level by itself.
 *
 *     npm run bench -- access-memory [--quick] [--routes 5000]
 *
 * For each part and level one line of JSON: policies that were written, and what each route takes more than without a policy, in kB: live heap of the
 * control plane after a collection, and what Envoy has allocated. `--quick`: 500 routes.
 */

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ObjectByKind } from '../../src/gateway-api/index.ts';
import { startWorld } from '../../test/support/graph-proxy.ts';
import { gateway, httpRoute, ownObject, secret, service } from '../../test/support/objects.ts';
import type { AnyObject } from '../../test/support/world.ts';
import { tokensOf } from './credentials.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    routes: { type: 'string' },
    // Of one measurement, in a process of its own.
    part: { type: 'string' },
    level: { type: 'string' },
  },
});
const routes = Number(options.routes ?? (options.quick ? 500 : 5000));
/** As many targets as one policy may have. */
const mostTargets = 16;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const { jwks } = tokensOf('RS256');
const parts: Readonly<Record<string, object>> = {
  'an address in 10 networks': { clientIPs: { allow: Array.from({ length: 10 }, (_, at) => `10.${at}.0.0/16`) } },
  'JWT, one RSA key': {
    jwt: { providers: [{ name: 'id', issuer: 'https://id.example.com', jwks: { inline: jwks } }] },
  },
  'one of 100 API keys': { apiKeys: { secretRefs: [{ name: 'clients' }], from: [{ header: 'x-api-key' }] } },
};

const group = 'gateway.networking.k8s.io';
const nameOf = (at: number): string => `r${at}`;
type Target = { readonly kind: string; readonly name: string; readonly sectionName?: string };
const policy = (name: string, targets: readonly Target[], spec: object): AnyObject =>
  ownObject('AccessPolicy', name, { targetRefs: targets.map((target) => ({ group, ...target })), ...spec });
const ofRoutes = (size: number, spec: object, more: object = {}): AnyObject[] =>
  Array.from({ length: Math.ceil(routes / size) }, (_, at) =>
    policy(
      `p${at}`,
      Array.from({ length: Math.min(size, routes - at * size) }, (_, one) => ({
        kind: 'HTTPRoute',
        name: nameOf(at * size + one),
        ...more,
      })),
      spec,
    ),
  );

/** Where the same is demanded of all routes. */
const levels: Readonly<Record<string, (spec: object) => readonly AnyObject[]>> = {
  'the Gateway': (spec) => [policy('one', [{ kind: 'Gateway', name: 'edge' }], spec)],
  'the listener': (spec) => [policy('one', [{ kind: 'Gateway', name: 'edge', sectionName: 'http' }], spec)],
  [`routes, ${mostTargets} for each policy`]: (spec) => ofRoutes(mostTargets, spec),
  'routes, a policy for each': (spec) => ofRoutes(1, spec),
  'rules, a policy for each': (spec) => ofRoutes(1, spec, { sectionName: 'all' }),
};

const world = (): AnyObject[] => [
  gateway('edge', [{ name: 'http', port: 8080 }] as never),
  service('web'),
  secret(
    'clients',
    Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`client-${at}`, `key-${'x'.repeat(20)}-${at}`])),
    { labels: { 'gatewright.dev/credentials': 'true' } },
  ),
  ...Array.from({ length: routes }, (_, at) =>
    httpRoute(nameOf(at), {
      hostnames: [`h${at}.example.com`],
      rules: [{ name: 'all', backendRefs: [{ name: 'web', port: 80 }] }] as ObjectByKind['HTTPRoute']['spec']['rules'],
    }),
  ),
];

interface Held {
  readonly controlPlaneKb: number;
  readonly envoyKb: number;
}

/** What both keep with these policies. */
async function held(policies: readonly AnyObject[]): Promise<Held> {
  const ends: (() => unknown)[] = [];
  const owner = { teardown: (end: () => unknown) => ends.push(end) } as unknown as Parameters<typeof startWorld>[0];
  collect();
  const before = process.memoryUsage().heapUsed;
  const made = await startWorld(owner, ...world(), ...policies);
  const { envoy } = made;
  // It is in use until the end: its graph is what is measured.
  ends.push(() => made);
  collect();
  // What Envoy writes about filters that may still change is kept here, and nowhere else.
  const controlPlaneKb = (process.memoryUsage().heapUsed - before - envoy.log().length) / 1024;
  const { allocated } = JSON.parse(await envoy.admin('/memory')) as { allocated: string };
  for (const end of ends.reverse()) await end();
  return { controlPlaneKb, envoyKb: Number(allocated) / 1024 };
}

/** In a process of its own: what one leaves behind is not the next one's. */
function heldBy(part: string, level: string): Held {
  const parameters = [import.meta.filename, '--routes', String(routes), '--part', part, '--level', level];
  const { stdout } = spawnSync(process.execPath, parameters, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (!stdout) throw new Error(`${part || 'nothing'} at ${level || 'no level'} was not measured`);
  return JSON.parse(stdout) as Held;
}

const policiesOf = (part: string, level: string): readonly AnyObject[] => levels[level]?.(parts[part] ?? {}) ?? [];

if (options.level !== undefined) {
  console.log(JSON.stringify(await held(policiesOf(options.part ?? '', options.level))));
  process.exit();
}
const none = heldBy('', '');
const mb = (kb: number) => Math.round(kb / 1024);
console.log(
  JSON.stringify({ routes, policies: 0, controlPlaneMb: mb(none.controlPlaneKb), envoyMb: mb(none.envoyKb) }),
);
for (const part of Object.keys(parts))
  for (const level of Object.keys(levels)) {
    const { controlPlaneKb, envoyKb } = heldBy(part, level);
    const each = (more: number) => Number((more / routes).toFixed(2));
    const figures = {
      controlPlaneKb: each(controlPlaneKb - none.controlPlaneKb),
      envoyKb: each(envoyKb - none.envoyKb),
    };
    console.log(JSON.stringify({ part, level, policies: policiesOf(part, level).length, ...figures }));
  }
