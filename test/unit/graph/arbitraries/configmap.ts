import fc from 'fast-check';
import { configMap } from '../../../support/objects.ts';
import { foreign, good, names, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

const goodAuthorities = names.map((name) => configMap(name, { 'ca.crt': good.certificate }));

export const objects = shares({
  anywhere: {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        text: fc.constantFrom(good.certificate, foreign.certificate, 'garbage', ''),
      })
      .map(({ name, namespace: where, text }) => configMap(name, { 'ca.crt': text }, { namespace: where })),
    weight: 3,
  },
  streams: { arbitrary: goodAuthorities, weight: 1 },
  experimental: { arbitrary: goodAuthorities, weight: 1 },
  models: { arbitrary: goodAuthorities, weight: 1 },
});
