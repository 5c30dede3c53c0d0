import test from 'ava';
import { commonName, gatewayLabelValue, labelsOf, objectName } from '../../../src/infrastructure/names.ts';
import { placeOf } from '../../../src/infrastructure/place.ts';
import { gatewayProxies } from './gateway.ts';

const serviceName = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const labelValue = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

test('a short name is kept readable', (t) => {
  t.is(objectName('edge'), 'gatewright-edge');
  t.is(gatewayLabelValue('edge'), 'edge');
});

const names = ['a'.repeat(53), 'a.b', `${'a'.repeat(51)}.b`, 'a'.repeat(63), 'a'.repeat(253), `${'a-'.repeat(126)}a`];
for (const name of names) {
  test(`the ${name.length} characters of ${name.slice(0, 60)} give a Service's name and a label's value`, (t) => {
    t.regex(objectName(name), serviceName);
    t.regex(gatewayLabelValue(name), labelValue);
  });
}

test('long names that differ only at the end give different names, and always the same ones', (t) => {
  const [a, b] = [`${'x'.repeat(252)}a`, `${'x'.repeat(252)}b`];
  t.not(objectName(a), objectName(b));
  t.not(gatewayLabelValue(a), gatewayLabelValue(b));
  t.is(objectName(a), objectName(a));
});

test('a name with dots is not mistaken for one with dashes', (t) => {
  t.not(objectName('a.b'), objectName('a-b'));
});

test("a Gateway's labels cannot replace ours", (t) => {
  const labels = labelsOf(gatewayProxies({ labels: { team: 'web', 'app.kubernetes.io/managed-by': 'me' } }));
  t.is(labels.team, 'web');
  t.is(labels['app.kubernetes.io/managed-by'], 'gatewright');
  t.is(labels['gateway.networking.k8s.io/gateway-name'], 'edge');
});

test('labels that say whose proxies are whose are not for users', (t) => {
  const bait = {
    'gatewright.dev/gateway-class': 'shared',
    'gateway.networking.k8s.io/gateway-name': 'other',
    team: 'web',
  };
  t.deepEqual(labelsOf(gatewayProxies({ labels: bait })), {
    team: 'web',
    'app.kubernetes.io/managed-by': 'gatewright',
    'app.kubernetes.io/name': 'gatewright-proxy',
    'app.kubernetes.io/component': 'data-plane',
    'gateway.networking.k8s.io/gateway-name': 'edge',
  });
});

test('the account of a Gateway is found by its key, and what is no key has none', (t) => {
  t.like(placeOf('shop/edge'), { namespace: 'shop', name: 'gatewright-edge' });
  t.like(placeOf('shop/a.b'), { namespace: 'shop', name: objectName('a.b') });
  for (const key of ['', 'edge', '/edge', 'shop/', 'shop/edge/more', 'infra/class:']) {
    t.is(placeOf(key), undefined, key);
    t.is(placeOf(key, 'proxies'), undefined, key);
  }
});

test('shared proxies are named after their class, as no Gateway can be', (t) => {
  t.deepEqual(placeOf('infra/class:edge'), {
    namespace: 'infra',
    name: 'gatewayclass-edge',
    selector: { 'app.kubernetes.io/managed-by': 'gatewright', 'gatewright.dev/gateway-class': 'edge' },
  });
  const long = objectName(`class:${'x'.repeat(200)}`);
  t.true(long.length <= 63 && long.startsWith('gatewayclass-x'));
  t.notRegex(objectName('class:a.b'), /\./);
});

test('proxies of all namespaces in one have names and labels that no other Gateway has', (t) => {
  const place = placeOf('shop/edge', 'proxies');
  t.is(place?.namespace, 'proxies');
  t.regex(place?.name ?? '', /^gatewright-shop-edge-[0-9a-f]{20}$/);
  t.deepEqual(place?.selector, {
    'app.kubernetes.io/managed-by': 'gatewright',
    'gateway.networking.k8s.io/gateway-name': 'edge',
    'gatewright.dev/gateway-namespace': 'shop',
  });
  t.not(commonName('a-b/c'), commonName('a/b-c'));
  t.not(commonName('a/b.c'), commonName('a/b-c'));
  t.not(commonName('a/class:c'), commonName('b/class:c'));
  t.regex(commonName('a/class:c'), /^gatewayclass-c-/);
  for (const key of [`${'n'.repeat(63)}/${'x'.repeat(253)}`, `a/${'a-'.repeat(126)}a`, 'a/a.b', 'a/class:a.b'])
    t.regex(commonName(key), serviceName, key);
});
