import fc from 'fast-check';
import { ownObject } from '../../../support/objects.ts';
import { accessTarget } from './accesspolicy.ts';
import { identity } from './parts/names.ts';
import { shares } from './shares.ts';

/** In the world of policies of access, whose Gateways, routes and Services they are for as well. */
export const objects = shares({
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
        own: fc.constantFrom(
          undefined,
          { lua: { inline: 'x = 1' } },
          { lua: { configMapRef: { name: 'a', key: 'ca.crt' } } },
          { wasm: { configMapRef: { name: 'a', key: 'module.wasm' } } },
          { wasm: { configMapRef: { name: 'b', namespace: 'other', key: 'module.wasm' } } },
          { wasm: { image: { reference: `r.test/guard@sha256:${'0'.repeat(64)}` } } },
        ),
        more: fc.constantFrom({}, { shadow: true }, { request: { body: 'Buffered' }, timeout: '1s' }),
      })
      .map(({ name, targets, onFailure, backendRef, own, more, ...meta }) => {
        const targetRefs = targets.map((target) => ({ group: 'gateway.networking.k8s.io', ...target }));
        return ownObject(
          'ExtensionPolicy',
          name,
          { targetRefs, onFailure, ...(own ?? { extProc: { backendRef, ...more } }) },
          meta,
        );
      }),
    weight: 1,
  },
});
