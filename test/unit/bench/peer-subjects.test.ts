import test from 'ava';
import { meter } from '../../../bench/peer/meter.ts';
import { builtPeers } from '../../../bench/peer/peers.ts';
import { rowsOf } from '../../../bench/peer/rows.ts';
import { apartFromProxy, envoyMemoryMb, type Subject, xdsBytes } from '../../../bench/peer/subject.ts';
import { markdownTable } from '../../../bench/peer/table.ts';

const process = { pid: 1, what: 'traefik', rssMb: 120, peakMb: 130, cpuSeconds: 2 };

test('a subject that is its own proxy has words where it has no figure', async (t) => {
  const subject = { xdsPort: undefined, processes: async () => ({ controlPlane: process, proxy: [] }) };
  const { bytes, cpuSeconds, proxyCpuSeconds } = await meter(subject as unknown as Subject);
  t.deepEqual({ bytes, cpuSeconds, proxyCpuSeconds }, { bytes: 0, cpuSeconds: 2, proxyCpuSeconds: 0 });
  const rows = rowsOf([
    { subject: 'ours', turns: [new Map([['xDS bytes', 700]])] },
    { subject: 'theirs', turns: [new Map([['xDS bytes', xdsBytes(subject, bytes)]])] },
  ]);
  t.true(markdownTable(rows, ['ours', 'theirs']).endsWith('| xDS bytes | 700 | no xDS |'));
  t.is(envoyMemoryMb([]), 'in the control plane’s');
  t.is(apartFromProxy(subject, cpuSeconds), 'not apart from its answers');
});

test('a subject with xDS has its bytes, and the memory of its Envoy alone', (t) => {
  const xdsPort = 15010;
  t.is(xdsBytes({ xdsPort }, 0), 0);
  t.is(apartFromProxy({ xdsPort }, 4), 4);
  t.is(
    envoyMemoryMb([
      { ...process, what: 'node', rssMb: 90 },
      { ...process, what: 'envoy -c', rssMb: 70 },
    ]),
    70,
  );
});

test('the name of no subject is an error that lists those that there are', async (t) => {
  const { message } = (await t.throwsAsync(builtPeers(['gatewright', 'traffic']))) as Error;
  t.is(
    message,
    '--subjects: no traffic; there are gatewright, envoy-gateway, envoy-gateway-fast, kgateway, istio, traefik, traefik-fast',
  );
});
