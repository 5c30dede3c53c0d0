import test from 'ava';
import { VirtualHosts } from '../../../../src/graph/hosts/virtual-hosts.ts';
import { contributionOf } from '../../../support/contribution.ts';

const idsOf = (hosts: VirtualHosts) =>
  Object.fromEntries(
    [...hosts.takeChanges()].flatMap(({ host, after }) => (after ? [[host, after.routes.map(({ id }) => id)]] : [])),
  );

const tableOf = () => new VirtualHosts({ id: 'http/80', own: [], owners: new Map(), misdirected: [] });

test('a wildcard has the routes of wider ones behind its own, whichever comes first', (t) => {
  const wide = contributionOf('wide', '*.example.com');
  const narrow = contributionOf('narrow', '*.a.example.com');
  const any = contributionOf('any', '*');
  const other = contributionOf('other', '*.example.org');
  const expected = {
    '*': ['any'],
    '*.example.com': ['wide', 'any'],
    '*.a.example.com': ['narrow', 'wide', 'any'],
    '*.example.org': ['other', 'any'],
  };
  for (const order of [
    [wide, narrow, any, other],
    [other, any, narrow, wide],
  ]) {
    const hosts = tableOf();
    for (const contribution of order) hosts.put(contribution);
    t.deepEqual(idsOf(hosts), expected);
    hosts.remove(wide);
    t.deepEqual(idsOf(hosts), { '*.a.example.com': ['narrow', 'any'] });
    hosts.remove(narrow);
    hosts.put(wide);
    hosts.put(narrow);
    t.like(idsOf(hosts), { '*.example.com': ['wide', 'any'], '*.a.example.com': ['narrow', 'wide', 'any'] });
  }
});
