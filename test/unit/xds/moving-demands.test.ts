import test from 'ava';
import fc from 'fast-check';
import { typeUrls } from '../../../src/envoy/index.ts';
import type { EnvoyResource } from '../../../src/translate/index.ts';
import { baseName, chainName, chainOf, lingerMs, slotsIn, World } from '../../support/chain-world.ts';
import { repetitions } from '../../support/repetitions.ts';
import { fakeResource } from '../../support/xds.ts';

/**
 * Against a model of a client: whatever moves between a table and its routes, is rejected and is interrupted, a request always meets all that it met in one of
 * the states that were published since the client last had everything.
 */

const { extension, listener, scopedRoute } = typeUrls;
const table = 'http/80';
const scopeName = (host: string): string => `${table}|${host}`;
const hosts = ['x', 'y'] as const;
type Host = (typeof hosts)[number];
const tokens = ['a', 'b', 'c'] as const;

/** What is published. A table's demand is `TOKEN@HOST`, with `?` behind it where routes may switch it off. */
interface State {
  readonly guards: readonly string[];
  /** What the routes of each host demand, and `-TOKEN` for what they switch off. A host that is not there is the fallback scope's. */
  readonly routes: ReadonlyMap<Host, readonly string[]>;
}

/** What the fallback scope demands, always. */
const ofOthers = ['c'];

const resourcesOf = ({ guards, routes }: State, text: string): EnvoyResource[] => [
  chainOf(slotsOf([...routes.values(), ofOthers].flat()), { guards }),
  chainOf([], { name: baseName, guards }),
  scopeOf(scopeName(''), ofOthers, ''),
  ...[...routes].map(([host, demanded]) => scopeOf(scopeName(host), demanded, text)),
];

function scopeOf(name: string, demanded: readonly string[], text: string): EnvoyResource {
  const slots = slotsOf(demanded);
  const scope = fakeResource(scopedRoute, name, `${demanded.join(',')} ${text}`);
  return { ...scope, ...(slots.length > 0 && { needs: new Map([[chainName, slots]]) }) };
}

const slotsOf = (demanded: readonly string[]): string[] => demanded.filter((each) => !each.startsWith('-'));

const everything = new Set<string>(tokens);

/** What a request to the host meets where the chain has these words, and the host's scope these. */
function met(host: Host, chain: readonly string[], scope: readonly string[]): ReadonlySet<string> {
  const found = new Set(scope.filter((token) => chain.includes(token)));
  for (const word of chain.filter((each) => each.startsWith('!'))) {
    if (word === '!') return everything;
    const [token = '', at = ''] = word.replace('?', '').slice(1).split('@');
    if (at === host && !(word.endsWith('?') && scope.includes(`-${token}`))) found.add(token);
  }
  return found;
}

const metIn = (host: Host, { guards, routes }: State): ReadonlySet<string> => {
  const scope = routes.get(host) ?? ofOthers;
  return met(host, [...slotsOf(scope), ...guards.map((guard) => `!${guard}`)], scope);
};

/** A client, and what it was to have since it last had everything. */
class Moves {
  readonly world = new World(() => this.#check());
  #since: State[] = [];
  #now: State = { guards: [], routes: new Map() };
  #count = 0;

  publish(state: State): void {
    this.#count += 1;
    const gone = [...this.#now.routes.keys()].filter((host) => !state.routes.has(host));
    this.#now = state;
    this.#since.push(state);
    const first = this.#count === 1 ? [fakeResource(listener, table)] : [];
    this.world.change([...first, ...resourcesOf(state, `${this.#count}`)], gone.map(scopeName));
  }

  /** The same once more, with nothing that was rejected. */
  finish(): void {
    this.world.client.rejects.clear();
    this.publish({ ...this.#now, guards: [...this.#now.guards, `c@end${this.#count}`] });
    this.world.deliver();
    this.#count += 1;
    this.publish(this.#now);
    this.world.deliver();
  }

  /** The client has what is published, and nothing else of the table's demands. */
  get isCurrent(): boolean {
    return (
      [chainName, baseName].every((chain) => this.#demandedBy(chain) === [...this.#now.guards].sort().join()) &&
      hosts.every((host) => this.#scope(host)?.join() === this.#now.routes.get(host)?.join())
    );
  }

  #demandedBy(chain: string): string {
    const demanded = this.#chain(chain).filter((each) => each.startsWith('!'));
    return demanded
      .map((each) => each.slice(1))
      .sort()
      .join();
  }

  get words(): string {
    return JSON.stringify([...this.world.client.has].map(([, has]) => [...has]));
  }

  rest(): void {
    if (this.isCurrent) this.#since = [this.#now];
  }

  #chain(name = chainName): string[] {
    return slotsIn(this.world.client.has.get(extension)?.get(name) ?? '');
  }

  #scope(host: Host): string[] | undefined {
    const body = this.world.client.has.get(scopedRoute)?.get(scopeName(host));
    return body === undefined ? undefined : slotsIn(body);
  }

  #check(): void {
    const chain = this.world.client.has.get(extension)?.get(chainName);
    const open = this.world.client.has.get(listener)?.size;
    if (chain === undefined || !open) return;
    for (const host of hosts) {
      const scope = this.#scope(host) ?? ofOthers;
      // Hosts whose routes fill no slot meet the chain that has none.
      const found = met(host, this.#chain(slotsOf(scope).length > 0 ? chainName : baseName), scope);
      const isEnough = this.#since.some((state) => metIn(host, state).isSubsetOf(found));
      if (!isEnough) throw new Error(`${host} meets ${[...found]}: ${chain} / ${this.#scope(host)}`);
    }
    this.rest();
  }
}

type Step =
  | { readonly kind: 'publish'; readonly state: State }
  | { readonly kind: 'deliver'; readonly most: number }
  | { readonly kind: 'reject'; readonly typeUrl: string }
  | { readonly kind: 'reconnect' }
  | { readonly kind: 'replace' }
  | { readonly kind: 'pass'; readonly ms: number };

const guard = fc
  .tuple(fc.constantFrom(...tokens), fc.constantFrom(...hosts), fc.boolean())
  .map(([token, host, isOverridable]) => `${token}@${host}${isOverridable ? '?' : ''}`);
const routes = fc.uniqueArray(fc.constantFrom(...tokens, ...tokens.map((token) => `-${token}`)), { maxLength: 3 });
const state: fc.Arbitrary<State> = fc
  .record({ guards: fc.uniqueArray(guard, { maxLength: 3 }), x: fc.option(routes), y: fc.option(routes) })
  .map(({ guards, x, y }) => ({
    guards,
    routes: new Map<Host, readonly string[]>([...(x ? [['x', x] as const] : []), ...(y ? [['y', y] as const] : [])]),
  }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('publish' as const), state }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('deliver' as const), most: fc.integer({ min: 0, max: 5 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reject' as const), typeUrl: fc.constantFrom(extension, scopedRoute) }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'reconnect' as const }, { kind: 'replace' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, lingerMs) }) },
);

function run(moves: Moves, each: Step): void {
  const { world } = moves;
  if (each.kind === 'publish') moves.publish(each.state);
  else if (each.kind === 'deliver') world.deliver(each.most);
  else if (each.kind === 'reject') world.client.rejects.add(each.typeUrl);
  else if (each.kind === 'reconnect') world.reconnect();
  else if (each.kind === 'replace') world.replace();
  else world.pass(each.ms);
}

test('whatever moves, is rejected and is interrupted: no request meets less than in any state that was to be', (t) => {
  const play = (steps: readonly Step[]): void => {
    const moves = new Moves();
    moves.world.chains.push(baseName);
    moves.publish({ guards: ['a@x', 'b@y'], routes: new Map([['x', ['c']] as const]) });
    moves.world.start();
    moves.world.deliver();
    for (const each of steps) run(moves, each);
    moves.finish();
    if (!moves.isCurrent) throw new Error(`in the end the client has ${moves.words}`);
  };
  t.notThrows(() =>
    fc.assert(fc.property(fc.array(step, { maxLength: 40 }), play), { numRuns: repetitions({ few: 150, all: 1_000 }) }),
  );
});
