import fc from 'fast-check';
import { secret } from '../../../support/objects.ts';
import { foreign, good, goodPair, names, namespaces, place } from './parts/names.ts';
import { shares } from './shares.ts';

const goodSecrets = names.map((name) => secret(name, goodPair));

const goodSecretsAnywhere = place.map(({ name, ...where }) => secret(name, goodPair, where));

/** A list of revoked certificates without any, of an authority `golden`. */
const revocationList = `-----BEGIN X509 CRL-----
MIGVMD0wCgYIKoZIzj0EAwIwETEPMA0GA1UEAwwGZ29sZGVuFw0yNjAxMDEwMDAw
MDBaFw0zNjAxMDEwMDAwMDBaMAoGCCqGSM49BAMCA0gAMEUCIQDVe8qxfBTHTyTQ
MOp6DZni6x/csUYFRagZBS8mhxVTGQIgFD7ms9rg5e4BurhUt4EWkYaGDypSsp3Y
NOjwoZ99QqQ=
-----END X509 CRL-----`;

/** With or without a list of revoked certificates. */
const revokingSecretsAnywhere = fc
  .record({ where: place, list: fc.constantFrom(revocationList, 'no list', undefined) })
  .map(({ where: { name, ...where }, list }) => secret(name, { ...goodPair, ...(list && { 'ca.crl': list }) }, where));

export const objects = shares({
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
    arbitrary: revokingSecretsAnywhere,
    weight: 2,
  },
  fleets: {
    arbitrary: goodSecretsAnywhere,
    weight: 2,
  },
});
