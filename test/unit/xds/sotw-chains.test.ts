import test from 'ava';
import { demandsNamedIn, versionWith } from '../../../src/translate/chains/demands.ts';
import { limits } from '../../../src/xds/limits.ts';
import { chainVersionsIn, versionWithChains } from '../../../src/xds/session/sotw-chains.ts';

const hash = 'a'.repeat(16);
const demand = (digit: string) => ({ place: digit.repeat(8), digest: digit.repeat(16) });
const chains: readonly (readonly [string, string])[] = [
  ['auth/http/80', versionWith(hash, [demand('1'), demand('2')])],
  ['traffic/http/80', hash],
  ['access/https/443/web', versionWith(hash, [demand('3')])],
];
const names = chains.map(([name]) => name);

test('what chains demand comes back with the version of their type, and nothing else of them', (t) => {
  const version = versionWithChains('snapshot-7', chains);
  t.true(version.startsWith('snapshot-7 '));
  const read = chainVersionsIn(version, names);
  t.deepEqual([...read.keys()], ['auth/http/80', 'access/https/443/web']);
  t.deepEqual(demandsNamedIn(read.get('auth/http/80') ?? ''), [demand('1'), demand('2')]);
  t.deepEqual(demandsNamedIn(read.get('access/https/443/web') ?? ''), [demand('3')]);
  for (const [name, each] of chains) t.not(read.get(name), each, 'it is sent again');
  t.deepEqual([...chainVersionsIn(version, ['access/other'])], []);
});

test('a version that a client made up names nothing', (t) => {
  for (const version of ['', 'x', `${hash}:`, 'x'.repeat(limits.sotwVersionLength + 1)])
    t.deepEqual([...chainVersionsIn(version, names)], [], version.slice(0, 20));
  const [, , written = ''] = versionWithChains('s', chains).split(' ');
  for (const part of [written.slice(0, 17), `${written}.x`, `${written.slice(0, 17)}__proto__`])
    for (const version of chainVersionsIn(`s ${part}`, names).values()) t.deepEqual(demandsNamedIn(version), [], part);
});

test('a version that would be too long says nothing of chains', (t) => {
  const many = Array.from({ length: 1000 }, (_, at) => [`access/http/${at}`, chains[0]?.[1] ?? ''] as const);
  t.is(versionWithChains('snapshot-7', many), 'snapshot-7');
});
