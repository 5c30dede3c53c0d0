import fc from 'fast-check';
import { ownObject } from '../../../support/objects.ts';
import { accessTarget } from './accesspolicy.ts';
import { identity } from './parts/names.ts';
import { shares } from './shares.ts';

/** In the world of policies of access, whose Gateways, routes and Services they are for as well. */
export const extensionPolicies = shares({
  access: {
    arbitrary: fc
      .record({
        ...identity,
        namespace: fc.constant('default'),
        targets: fc.array(accessTarget, { minLength: 1, maxLength: 2 }),
        onFailure: fc.constantFrom('Reject', 'Allow'),
        backendRef: fc.constantFrom(
          { name: 'a', port: 80 },
          { name: 'b', namespace: 'other', port: 80 },
          { name: 'none', port: 1 },
        ),
        lua: fc.constantFrom(undefined, undefined, { inline: 'x = 1' }),
        more: fc.constantFrom({}, { shadow: true }, { request: { body: 'Buffered' }, timeout: '1s' }),
      })
      .map(({ name, targets, onFailure, backendRef, lua, more, ...meta }) => {
        const targetRefs = targets.map((target) => ({ group: 'gateway.networking.k8s.io', ...target }));
        return ownObject(
          'ExtensionPolicy',
          name,
          { targetRefs, onFailure, ...(lua ? { lua } : { extProc: { backendRef, ...more } }) },
          meta,
        );
      }),
    weight: 1,
  },
});
