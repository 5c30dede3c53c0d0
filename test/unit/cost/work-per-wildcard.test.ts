import test from 'ava';
import { VirtualHosts } from '../../../src/graph/hosts/virtual-hosts.ts';
import { contributionOf } from '../../support/contribution.ts';
import { WorkCounter } from '../../support/work-count.ts';

const take = (hosts: VirtualHosts): number => [...hosts.takeChanges()].filter(({ after }) => after).length;

test('what a wildcard costs does not follow the number of others', (t) => {
  using counter = new WorkCounter();
  const costOf = (wildcards: number): number => {
    const hosts = new VirtualHosts({ id: 'http/80', own: [], owners: new Map(), misdirected: [] });
    for (let at = 0; at < wildcards; at += 1) hosts.put(contributionOf(`r${at}`, `*.t${at}.example.com`));
    take(hosts);
    return counter.count(() => {
      hosts.put(contributionOf('new', '*.new.example.com'));
      hosts.remove(contributionOf('r7', '*.t7.example.com'));
      t.is(take(hosts), 1);
    });
  };
  const [few, many] = [costOf(100), costOf(1_000)];
  t.true(many > 100, 'something was counted');
  // A walk takes one for each of the 900 more.
  t.true(many - few < 450, `${few} blocks of code ran with 100 wildcards, ${many} with 1,000`);
});
