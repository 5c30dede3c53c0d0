import test from 'ava';
import { kinds } from '../../../src/gateway-api/index.ts';
import { NamespaceGate } from '../../../src/kube/namespace-gate.ts';

const { Gateway, Secret } = kinds;

function gate() {
  const seen: string[] = [];
  const made = new NamespaceGate({
    kinds: [Gateway, Secret],
    onAvailability: (available, message) => seen.push(available ? 'available' : `unavailable: ${message}`),
  });
  return { gate: made, seen, pass: (what: string) => made.pass(() => seen.push(what)) };
}

test('nothing of a namespace is passed on before all of its kinds are listed, and then all in order', (t) => {
  const { gate: made, seen, pass } = gate();
  pass('Gateway a');
  made.listed(Gateway);
  pass('Gateway a changed');
  t.deepEqual(seen, []);
  made.listed(Secret);
  pass('Secret s');
  t.deepEqual(seen, ['Gateway a', 'Gateway a changed', 'Secret s']);
});

test('a namespace of which one kind may not be read is unavailable whole, until the last permission is there', (t) => {
  const { gate: made, seen, pass } = gate();
  made.permitted(Secret, false, 'no Secrets');
  made.permitted(Gateway, false, 'no Gateways');
  made.permitted(Gateway, true, '');
  pass('Gateway a');
  made.listed(Gateway);
  t.deepEqual(seen, ['unavailable: no Secrets']);
  made.listed(Secret);
  made.permitted(Secret, true, '');
  t.deepEqual(seen, ['unavailable: no Secrets', 'Gateway a', 'available']);
});

test('a permission that is lost later holds nothing back that is known of the other kinds', (t) => {
  const { gate: made, seen, pass } = gate();
  made.listed(Gateway);
  made.listed(Secret);
  made.permitted(Secret, false, 'taken back');
  pass('Gateway b');
  made.permitted(Secret, true, '');
  t.deepEqual(seen, ['unavailable: taken back', 'Gateway b', 'available']);
});
