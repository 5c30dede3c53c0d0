import fc from 'fast-check';
import { secret } from '../../../support/objects.ts';
import { foreign, good, goodPair, names, namespaces, place } from './parts/names.ts';
import { shares } from './shares.ts';

const goodSecrets = names.map((name) => secret(name, goodPair));

const goodSecretsAnywhere = place.map(({ name, ...where }) => secret(name, goodPair, where));

export const secrets = shares({
  anywhere: {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        pair: fc.constantFrom(
          goodPair,
          { 'tls.crt': foreign.certificate, 'tls.key': foreign.key },
          { 'tls.crt': good.certificate, 'tls.key': foreign.key },
          {},
        ),
      })
      .map(({ name, namespace: where, pair }) => secret(name, pair as Record<string, string>, { namespace: where })),
    weight: 2,
  },
  streams: { arbitrary: goodSecrets, weight: 1 },
  experimental: { arbitrary: goodSecrets, weight: 1 },
  models: {
    arbitrary: fc
      .record({ name: names, namespace: namespaces, key: fc.constantFrom('sk-1', 'sk-2', '') })
      .map(({ name, namespace: where, key }) => secret(name, { apiKey: key }, { namespace: where })),
    weight: 3,
  },
  sets: {
    arbitrary: goodSecretsAnywhere,
    weight: 2,
  },
  fleets: {
    arbitrary: goodSecretsAnywhere,
    weight: 2,
  },
});
