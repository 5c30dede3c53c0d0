import test from 'ava';
import { isSameQuantity } from '../../../src/infrastructure/quantity.ts';

const same = test.macro((t, one: unknown, other: unknown, expected: boolean) => {
  t.is(isSameQuantity(one, other), expected);
});
test('thousandths', same, '0.5', '500m', true);
test('a number and its text', same, 1, '1', true);
test('powers of two', same, '1024Mi', '1Gi', true);
test('fractions of them', same, '1.5Gi', '1536Mi', true);
test('powers of ten', same, '1000M', '1G', true);
test('exponents', same, '1e3', '1k', true);
test('exa, which is no exponent', same, '1E', '1000P', true);
test('ten is not eleven', same, '10m', '11m', false);
test('what is no quantity is like nothing', same, 'x', 'x', false);
test('nothing is no quantity', same, undefined, '1', false);
