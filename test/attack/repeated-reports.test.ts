import test from 'ava';
import { sendTrafficReport, trafficReport } from '../support/traffic.ts';
import { until } from '../support/until.ts';
import { startXds } from '../support/xds.ts';

test('an agent that floods with reports that come again has one looked into at a time, and others report meanwhile', async (t) => {
  const { server, port } = await startXds(t);
  const asked: string[] = [];
  const answer = Promise.withResolvers<void>();
  server.agentServices.serveTraffic({
    isReady: true,
    receive({ nodeId }, { again }) {
      asked.push(nodeId);
      return again === true ? answer.promise : undefined;
    },
  });
  const flood = trafficReport({ nodeId: 'flood', again: true });
  const first = sendTrafficReport(port, flood);
  await until('the first to be looked into', async () => asked.length === 1 || undefined);
  for (let turn = 0; turn < 5; turn += 1)
    await t.throwsAsync(sendTrafficReport(port, flood), {
      message: /UNAVAILABLE.*the report before has no answer yet/,
    });
  await sendTrafficReport(port, trafficReport({ nodeId: 'other' }));
  answer.resolve();
  await first;
  await sendTrafficReport(port, flood);
  t.deepEqual(asked, ['flood', 'other', 'flood']);
});

test('reports that come again of many nodes at once are rejected beyond a number, and can come later', async (t) => {
  const { server, port } = await startXds(t);
  let pending = 0;
  const answer = Promise.withResolvers<void>();
  server.agentServices.serveTraffic({
    isReady: true,
    receive() {
      pending += 1;
      return answer.promise;
    },
  });
  const results = Promise.allSettled(
    Array.from({ length: 80 }, (_, at) => sendTrafficReport(port, trafficReport({ nodeId: `n${at}`, again: true }))),
  );
  await until('all that may to wait', async () => pending === 64 || undefined);
  await t.throwsAsync(sendTrafficReport(port, trafficReport({ nodeId: 'late', again: true })), {
    message: /UNAVAILABLE.*too many reports come again/,
  });
  answer.resolve();
  const rejected = (await results).filter(({ status }) => status === 'rejected');
  t.is(pending, 80 - rejected.length);
  await sendTrafficReport(port, trafficReport({ nodeId: 'late', again: true }));
});
