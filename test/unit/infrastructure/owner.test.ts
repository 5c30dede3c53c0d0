import test from 'ava';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import { isMadeBy, isMadeFor } from '../../../src/infrastructure/owner.ts';
import { serviceAccountOf } from '../../../src/infrastructure/service-account.ts';
import { gatewayProxies, settings } from './gateway.ts';

const { controllerName } = settings;
const own = serviceAccountOf(gatewayProxies());
const common = serviceAccountOf(gatewayProxies({}, 'proxies'));

const marked = (object: KubernetesObject, metadata: object): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});

test('what we make is known as ours, in the namespace of its Gateway and in one for all', (t) => {
  for (const object of [own, common]) {
    t.true(isMadeBy(controllerName, object));
    t.true(isMadeFor(object, object.metadata));
  }
});

test('what another controller made, or only looks like ours, is not ours', (t) => {
  const { annotations = {}, labels = {} } = own.metadata;
  const baits: Readonly<Record<string, object>> = {
    'another controller': { annotations: { ...annotations, 'gatewright.dev/controller': 'example.com/other' } },
    'another namespace': { namespace: 'mal' },
    'another name': { name: 'gatewright-edge-2' },
    'no Gateway': { annotations: {} },
    "another Gateway's": { annotations: { ...annotations, 'gatewright.dev/gateway': 'mal/edge' } },
    'another manager': { labels: { ...labels, 'app.kubernetes.io/managed-by': 'Helm' } },
  };
  for (const [what, metadata] of Object.entries(baits)) {
    t.false(isMadeBy(controllerName, marked(own, metadata)), what);
    t.false(isMadeFor(marked(own, metadata), own.metadata), what);
  }
});

test('what one Gateway has is not taken over for another, whatever it is called', (t) => {
  const other = serviceAccountOf(gatewayProxies({ namespace: 'shop-edge', name: 'a' }, 'proxies'));
  t.false(isMadeFor(other, common.metadata));
  t.false(isMadeFor(marked(other, { name: common.metadata.name }), common.metadata));
});

test('objects of releases that named no controller are taken over', (t) => {
  const { 'gatewright.dev/controller': _, ...annotations } = own.metadata.annotations ?? {};
  t.true(isMadeFor(marked(own, { annotations }), own.metadata));
});
