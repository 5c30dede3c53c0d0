import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { endings } from '../support/endings.ts';
import { send } from '../support/http.ts';
import { showsAfterEvent } from '../support/live-page.ts';
import { backendObjects, gatewayObjects, routeObject } from '../support/standalone.ts';
import { TwoProcesses } from '../support/two-processes.ts';
import { until, untilFits } from '../support/until.ts';

// Two control planes that know each other, and one proxy, which is connected to the second.

const test = anyTest as TestFn<{ port: number; origins: Readonly<Record<'first' | 'second', string>> }>;
const all = endings(test);

const fail = async (port: number): Promise<number> => (await send(port, { host: 'dead.example.com' })).status;

test.before(async (t) => {
  t.timeout(600_000);
  const [port, deadPort, firstPort, secondPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const files = {
    'gateway.yaml': gatewayObjects(port),
    'dead.yaml': [
      ...backendObjects('dead', deadPort),
      routeObject('dead', 'dead.example.com', [{ backendRefs: [{ name: 'dead', port: 80 }] }]),
    ],
  };
  const controlPlane = { replicas: { peers: [`127.0.0.1:${firstPort}`, `127.0.0.1:${secondPort}`] } };
  const start = (adminPort: number) => TwoProcesses.start(all, { files, adminPort, controlPlane, dataPlane: {} });
  const [first, second] = await Promise.all([start(firstPort), start(secondPort)]);
  for (const each of [first, second])
    await untilFits(
      'the other one',
      () => each.json<readonly { state: string }[]>('/v1/replicas'),
      (list) => list.some(({ state }) => state === 'connected'),
    );
  await second.startDataPlane(all, 'on-the-second');
  await until('the route', async () => (await fail(port).catch(() => 0)) === 503);
  const at = (adminPort: number): string => `http://127.0.0.1:${adminPort}`;
  t.context = { port, origins: { first: at(firstPort), second: at(secondPort) } };
});

for (const which of ['first', 'second'] as const)
  for (const [link, asked, shown] of [
    ['#/', ['/v1/problems', '/v1/traffic'], '.problem[data-code="traffic_failing"]'],
    ['#/failures', ['/v1/failures'], '.failure[data-status="503"]'],
  ] as const)
    (link === '#/' ? test.serial : test.serial)(
      `a failed request of the second's proxy shows on ${link} of the ${which} replica after an event`,
      async (t) => {
        t.timeout(600_000);
        const { port, origins } = t.context;
        const happen = async () => t.is(await fail(port), 503);
        await showsAfterEvent(t, { origin: origins[which], link, asked, shown, happen });
      },
    );
