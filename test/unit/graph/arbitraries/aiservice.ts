import fc from 'fast-check';
import { aiObject } from '../../../support/objects.ts';
import { generation, maybe, names, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

const models = fc.subarray(
  [{ name: 'm' }, { name: 'n', as: 'x' }, { name: 'o-', match: 'Prefix' }, { name: 'o-1' }] as const,
  { minLength: 1 },
);

export const objects = shares({
  models: {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        generation,
        models,
        port: maybe(fc.constantFrom(80, 81)),
        fallback: fc.uniqueArray(names, { maxLength: 2 }),
        secret: maybe(names),
        authority: maybe(names),
        idle: maybe(fc.constantFrom('0s', '1s')),
        pool: maybe(names),
      })
      .map(({ name, models: offered, port, fallback, secret: key, authority, idle, pool, ...meta }) => {
        const tls = authority && { caCertificateRefs: [{ name: authority }] };
        const spec = {
          provider: 'openai',
          ...(pool
            ? { pool: { name: pool } }
            : { endpoint: { hostname: 'api.test', ...(port && { port }), ...(tls && { tls }) } }),
          models: offered,
          fallback: fallback.map((other) => ({ name: other })),
          ...(key && !pool && { auth: { secretRef: { name: key } } }),
          ...(idle && { timeouts: { connectionIdle: idle } }),
        };
        return aiObject('AIService', name, spec, meta);
      }),
    weight: 6,
  },
});
