import test from 'ava';
import { accountOf, gatewayLabelValue, labelsOf, objectName, selectorOf } from '../../../src/infrastructure/names.ts';
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

test('the account of a Gateway is found by its key, and what is no key has none', (t) => {
  t.deepEqual(accountOf('shop/edge'), { namespace: 'shop', name: 'gatewright-edge' });
  t.deepEqual(accountOf('shop/a.b'), { namespace: 'shop', name: objectName('a.b') });
  for (const key of ['', 'edge', '/edge', 'shop/', 'shop/edge/more']) t.is(accountOf(key), undefined, key);
});

test('shared proxies are named after their class, as no Gateway can be', (t) => {
  t.deepEqual(accountOf('infra/class:edge'), { namespace: 'infra', name: 'gatewayclass-edge' });
  t.is(accountOf('infra/class:'), undefined);
  const long = objectName(`class:${'x'.repeat(200)}`);
  t.true(long.length <= 63 && long.startsWith('gatewayclass-x'));
  t.notRegex(objectName('class:a.b'), /\./);
  t.deepEqual(selectorOf('class:edge'), {
    'app.kubernetes.io/managed-by': 'gatewright',
    'gatewright.dev/gateway-class': 'edge',
  });
});
