import test from 'ava';
import { covers } from '../../../src/infrastructure/covers.ts';

const yes = test.macro((t, live: unknown, desired: unknown) => t.true(covers(live, desired)));
const no = test.macro((t, live: unknown, desired: unknown) => t.false(covers(live, desired)));

test('defaults that the API server filled in do not matter', yes, { a: 1, b: { c: 2, d: 3 } }, { b: { c: 2 } });
test('a changed value matters', no, { replicas: 3 }, { replicas: 1 });
test('a removed field matters', no, { labels: {} }, { labels: { a: 'b' } });
test('a map that the API server left out because it is empty does not matter', yes, {}, { emptyDir: {} });
test('a desired value that is undefined is none', yes, {}, { a: undefined });
test('named elements are found by name', yes, [{ name: 'sidecar' }, { name: 'a', x: 1 }], [{ name: 'a', x: 1 }]);
test('a named element that is gone matters', no, [{ name: 'sidecar' }], [{ name: 'a' }]);
test('other elements are compared in place', no, ['b', 'a'], ['a', 'b']);
test('a list in place of a map matters', no, [], { a: 1 });
const resources = (cpu: unknown) => ({ resources: { requests: { cpu } } });
test('a quantity in other words does not matter', yes, resources('500m'), resources('0.5'));
test('another quantity matters', no, resources('500m'), resources('0.6'));
test('a quantity that is gone matters', no, { resources: {} }, resources('1'));
test('a size in other words does not matter', yes, { sizeLimit: '1Gi' }, { sizeLimit: '1024Mi' });
test('another size matters', no, { sizeLimit: '1Gi' }, { sizeLimit: '2Gi' });
test('a text that the API server left out because it is empty does not matter', yes, {}, { value: '' });
const mounts = [
  { name: 'a', mountPath: '/a' },
  { name: 'a', mountPath: '/b' },
];
test('of several elements of one name each is found', yes, mounts, [...mounts].reverse());
test('one of several of one name that is gone matters', no, mounts.slice(1), mounts);
