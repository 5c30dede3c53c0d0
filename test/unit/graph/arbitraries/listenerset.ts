import fc from 'fast-check';
import { listenerSet } from '../../../support/objects.ts';
import { sharedListeners } from './parts/listeners.ts';
import { identity, names, place } from './parts/names.ts';
import { shares } from './shares.ts';

export const objects = shares({
  sets: {
    arbitrary: fc
      .record({ ...identity, listeners: sharedListeners, parent: names })
      .map(({ name, listeners: specs, parent, ...meta }) =>
        // Most name the Gateway that there is.
        listenerSet(name, specs as never, {
          ...meta,
          parent: { name: parent === 'a' ? 'none' : 'edge', namespace: 'default' },
        }),
      ),
    weight: 6,
  },
  fleets: {
    arbitrary: fc
      .record({
        ...identity,
        listeners: sharedListeners,
        parent: place,
      })
      .map(({ name, listeners: specs, ...meta }) => listenerSet(name, specs as never, meta)),
    weight: 2,
  },
});
