import fc from 'fast-check';
import { aiObject } from '../../../support/objects.ts';
import { generation, names } from './parts/names.ts';
import { shares } from './shares.ts';

export const objects = shares({
  models: {
    arbitrary: fc
      .record({
        name: names,
        generation,
        kind: fc.constantFrom('HTTPRoute', 'AIService'),
        target: names,
        header: names,
      })
      .map(({ name, kind, target, header, ...meta }) => {
        const targetRefs = [{ group: '', kind, name: target }];
        const spec = { targetRefs, key: { type: 'Header', header }, budgets: [] };
        return aiObject('TokenPolicy', name, spec, meta);
      }),
    weight: 2,
  },
});
