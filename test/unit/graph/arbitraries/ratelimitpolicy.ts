import fc from 'fast-check';
import { ownObject } from '../../../support/objects.ts';
import { accessTarget } from './accesspolicy.ts';
import { identity, maybe, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

const bucket = fc.record(
  {
    name: fc.constantFrom('one', 'two'),
    limits: fc.constantFrom(
      [{ requests: 10, per: '1s' }],
      [{ requests: 10, per: '1s', burst: 20 }],
      [{ requests: 1, per: '1ms' }],
    ),
    match: fc.constantFrom(
      { methods: ['GET'] },
      { path: { value: '/a' } },
      { clientCIDRs: { exclude: ['10.0.0.0/8'] } },
      { clientCIDRs: { include: ['10.0.0.1/8'] } },
    ),
    key: fc.constantFrom(
      [{ type: 'ClientIP' }],
      [{ type: 'Identity' }],
      [{ type: 'Header', name: 'x-user' }, { type: 'Route' }],
    ),
    absent: fc.constantFrom('Share', 'Exempt'),
    concurrent: fc.constantFrom(5),
    cost: fc.constantFrom(
      { request: { number: 5 } },
      { request: { fromHeader: { name: 'x-cost', default: 99 } } },
      { response: { fromHeader: { name: 'x-cost' } } },
    ),
  },
  { requiredKeys: ['name', 'limits'] },
);

/** In place of limits. */
const service = fc
  .record({ name: fc.constantFrom('a', 'b'), namespace: maybe(namespaces) })
  .map((ref) => ({ backendRef: { ...ref, port: 80 }, domain: 'd' }));

const withoutLimits = ({ limits: _, ...others }: Readonly<Record<string, unknown>>) => others;

/** In the world of policies of access, whose Gateways and routes they are for as well. */
export const objects = shares({
  access: {
    arbitrary: fc
      .record({
        ...identity,
        namespace: fc.constant('default'),
        targets: fc.array(accessTarget, { minLength: 1, maxLength: 2 }),
        buckets: fc.uniqueArray(bucket, { minLength: 1, maxLength: 2, selector: ({ name }) => name }),
        phase: fc.constantFrom('AfterAuth', 'BeforeAuth'),
        onLimit: fc.constantFrom('Reject', 'Shadow'),
        counting: fc.constantFrom('Proxy', 'Shared', 'Service'),
        service,
      })
      .map(({ name, targets, buckets, phase, onLimit, counting, service: asked, ...meta }) => {
        const targetRefs = targets.map((target) => ({ group: 'gateway.networking.k8s.io', ...target }));
        const limited = counting === 'Service' ? { service: asked, buckets: buckets.map(withoutLimits) } : { buckets };
        return ownObject('RateLimitPolicy', name, { targetRefs, phase, onLimit, counting, ...limited }, meta);
      }),
    weight: 1,
  },
});
