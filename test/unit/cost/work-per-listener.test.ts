import test from 'ava';
import { issue } from '../../support/certificates.ts';
import { gateway, gatewayClass, listenerSet, ownObject, secret, service } from '../../support/objects.ts';
import { type Outcome, Pipeline } from '../../support/pipeline.ts';
import { WorkCounter } from '../../support/work-count.ts';

const group = 'gateway.networking.k8s.io';
const { certificate, key } = await issue('*.example.com');
const tls = { mode: 'Terminate' as const, certificateRefs: [{ name: 'tls' }] };

/** All of the same length: what is counted does not follow it. */
const nameOf = (index: number): string => `h${1000 + index}`;

/** One HTTPS listener; of two, one has a wildcard and one is below the wildcard of another. */
const tenant = (index: number, hostname?: string) =>
  listenerSet(nameOf(index), [
    {
      name: 'web',
      port: 443,
      protocol: 'HTTPS',
      hostname: hostname ?? `${index % 2 === 0 ? '*' : 'a'}.${nameOf(index - (index % 2))}.example.com`,
      tls,
    },
  ]);

const policy = (name: string, target: object, network: string) =>
  ownObject('AccessPolicy', name, { targetRefs: [{ group, ...target }], clientIPs: { allow: [network] } });
const ofGateway = (network: string) => policy('all', { kind: 'Gateway', name: 'edge' }, network);
const ofSet = (network: string) => policy('one', { kind: 'ListenerSet', name: nameOf(7) }, network);

function worldOf(listeners: number): Pipeline {
  const pipeline = new Pipeline('default/edge');
  pipeline.put(
    gatewayClass(),
    gateway('edge', [{}, { name: 'https', port: 443, protocol: 'HTTPS', hostname: '*.example.com', tls }], {
      allowedListeners: { namespaces: { from: 'All' } },
    }),
    secret('tls', { 'tls.crt': certificate, 'tls.key': key }),
    service('web'),
    ...Array.from({ length: listeners }, (_, index) => tenant(index)),
    ofGateway('10.0.0.0/8'),
  );
  return pipeline;
}

const steps: Readonly<Record<string, (pipeline: Pipeline) => Outcome>> = {
  'a ListenerSet gets a policy of access': (pipeline) => pipeline.put(ofSet('10.0.0.0/8')),
  'and the policy changes': (pipeline) => pipeline.put(ofSet('11.0.0.0/8')),
};
const ofAll: typeof steps = {
  'the policy of the Gateway changes': (pipeline) => pipeline.put(ofGateway('11.0.0.0/8')),
  'a listener gets another hostname': (pipeline) => pipeline.put(tenant(9, 'b.other.example.com')),
};

const fewest = 100;
const counts = [fewest, 2 * fewest, 4 * fewest] as const;
/** Of what a further listener costs: a walk over all listeners for each of them would nearly double it from step to step. */
const tolerance = 1.3;

test('what a change costs follows the number of listeners once, and proxies are sent no more than for a few', (t) => {
  t.timeout(300_000);
  using counter = new WorkCounter();
  const worlds = counts.map(worldOf);
  for (const [name, step] of Object.entries({ ...steps, ...ofAll })) {
    const outcomes: Outcome[] = [];
    const [few, some, many] = worlds.map((world) => counter.count(() => outcomes.push(step(world)))) as [
      number,
      number,
      number,
    ];
    const each = (some - few) / (counts[1] - counts[0]);
    const further = (many - some) / (counts[2] - counts[1]);
    t.log(
      `${name}: ${few}, ${some}, ${many} blocks; ${Math.round(each)}, then ${Math.round(further)} for each listener`,
    );
    t.true(each > 0 && further < each * tolerance, `${name}: ${each} blocks for each listener more, then ${further}`);
    if (name in steps) t.is(new Set(outcomes.map(({ bytes }) => bytes)).size, 1, `${name}: one table is sent`);
  }
});
