import test from 'ava';
import * as ir from '../../src/ir/index.ts';
import { startAgent, untilReady } from '../support/agent-world.ts';
import { moving, type State, startMoving, staying, strangers } from '../support/moving-demands.ts';
import { signer } from '../support/tokens.ts';

/**
 * What a Gateway demands is switched off by routes and demanded again, may be switched off or not any more, and is read by rules of routes, while the
 * proxy has an older table or a newer one than scopes. Who shows nothing never gets in; who shows all that any state demands always does.
 */

const key = signer('k');
const provider: ir.JwtProvider = {
  id: 'infra/edge/id',
  audiences: [],
  keys: JSON.stringify({ keys: [key.jwk] }),
  from: [],
  forwardToken: false,
  claimsToHeaders: [],
};
const token = (more: Partial<ir.JwtProvider> = {}): ir.Access => ({
  jwt: { optional: false, providers: [{ ...provider, ...more }] },
});
const apiKey: ir.Access = {
  apiKeys: {
    keys: new ir.Sensitive(Buffer.from(JSON.stringify([['ann', 'key-1']]))),
    from: [{ kind: 'header', name: 'x-key' }],
    forwardKey: false,
  },
};
const readers: ir.Access = {
  authorization: {
    default: 'Deny',
    rules: [
      {
        id: 'shop/r/ops',
        action: 'Allow',
        when: [{ jwt: { provider: provider.id, scopes: [], claims: [{ path: ['groups'], values: ['ops'] }] } }],
      },
    ],
  },
};

type Table = ir.Access & Partial<ir.TableAccess>;

/** Demands of the moving host, each at its level. */
const guards = (...demands: readonly Table[]): ir.TableGuards => ({
  demands: demands.map(
    (demand): ir.TableAccess => ({
      level: 'gateway',
      source: 'infra/edge',
      overridable: [],
      hostnames: [moving],
      ...demand,
    }),
  ),
  hostnames: [moving, staying],
});
const loose = { overridable: ['jwt'] } as const;
const keyInstead: ir.RouteAccess = { route: apiKey, overrides: ['jwt'] };
const newKeys = JSON.stringify({ keys: [signer('new').jwk, key.jwk] });

const states: readonly State[] = [
  { guards: guards({ ...token(), ...loose }) },
  { guards: guards({ ...token(), ...loose }), route: keyInstead },
  // It may not be switched off any more, and the route that tries demands a key beside it.
  { guards: guards(token()), route: keyInstead },
  { guards: guards({ ...token({ keys: newKeys }), ...loose }), route: { rule: apiKey, overrides: ['jwt'] } },
  { guards: guards({ ...token({ claimsRead: true }), ...loose }), route: { rule: readers } },
  { guards: guards(token()) },
  { guards: guards({ ...token({ claimsRead: true }), level: 'listener' }), route: { route: readers } },
  {
    guards: guards({ ...token(), ...loose }, { ...token({ id: 'infra/web/id' }), level: 'listener' }),
    route: keyInstead,
  },
  { guards: guards(apiKey), route: { route: token({ id: 'shop/r/id' }) } },
  { guards: guards({ ...token(), ...loose }), route: { rule: token({ id: 'shop/r/id' }) } },
  { route: { route: { ...token({ claimsRead: true }), ...readers } } },
];

/** Each state is there three times among the few. */
const moves = 100;

for (const concurrency of [1, 2])
  test(`a route that switches off what its Gateway demands lets in neither too many nor too few, workers: ${concurrency}`, async (t) => {
    const { controlPlane, port, publish, applied } = await startMoving(t, 'node-1');
    const first = publish(states[0] ?? {});
    const agent = await startAgent(t, controlPlane.address, { concurrency });
    await untilReady(agent);
    await applied(first);
    const shown = { authorization: `Bearer ${key.token({ groups: ['ops'] })}`, 'x-key': 'key-1' };
    const stops = [strangers(port, moving, 4), strangers(port, moving, 4, shown)];
    for (let move = 1; move < moves; move += 1) {
      const id = publish(states[(move * (1 + (move % 3))) % states.length] ?? {});
      // Some meet the one before on its way.
      if (move % 3 > 0) await applied(id);
    }
    const [without, withAll] = await Promise.all(stops.map((stop) => stop()));
    t.log(Object.fromEntries(without ?? []), Object.fromEntries(withAll ?? []));
    t.false(without?.has('200'));
    t.deepEqual([...(withAll?.keys() ?? [])], ['200']);
  });
