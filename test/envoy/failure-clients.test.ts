import { request } from 'node:http';
import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { serviceObjects } from '../support/http.ts';
import type * as schemas from '../support/layout1-schemas.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

type Failures = ReturnType<typeof schemas.failures.parse>;

const client = '127.0.0.7';

/** The status of a request from `client`. */
const get = (port: number, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const call = { host: '127.0.0.1', port, path, localAddress: client, headers: { host: 'gone.test' }, agent: false };
    request(call, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });

test('the address of a client is nowhere until the DataPlane shows it, and again once it hides it', async (t) => {
  t.timeout(600_000);
  const gone = await freePort();
  const world = await startStandalone({
    'gone.yaml': serviceObjects('gone', [gone]),
    'routes.yaml': [routeObject('gone', 'gone.test', [{ backendRefs: [{ name: 'gone', port: 80 }] }])],
  });
  t.teardown(() => world.stop());
  const [gatewayClass, edge] = world.gatewayObjects as [object, { readonly spec: object }];
  const infrastructure = { parametersRef: { group: 'gatewright.dev', kind: 'DataPlane', name: 'edge' } };
  const configure = (spec: object) =>
    world.write(
      'gateway.yaml',
      gatewayClass,
      { ...edge, spec: { ...edge.spec, infrastructure } },
      { apiVersion: 'gatewright.dev/v1alpha1', kind: 'DataPlane', metadata: { name: 'edge' }, spec },
    );
  const failures = async (path: string) => {
    const { body } = await world.json(world.control.ports.layout1, '/v1/failures?limit=500');
    return (body as Failures).items.filter((failure) => failure.path === path);
  };
  /** Requests until one of them is known to have failed, and fits. */
  const failed = (path: string, fits: (failure: Failures['items'][number]) => boolean) =>
    untilFits(
      `a failure of ${path}`,
      async () => {
        t.is(await get(world.port, path), 503);
        return failures(path);
      },
      (items) => items.some(fits),
    );

  await until('the proxy to be current', () => isCurrent(world));
  const hidden = await failed('/hidden', () => true);
  t.deepEqual(
    hidden.map(({ clientAddress }) => clientAddress),
    hidden.map(() => null),
  );
  t.false(JSON.stringify(hidden).includes(client));

  configure({ failures: { clientAddress: 'Show' } });
  const shown = await failed('/shown', ({ clientAddress }) => clientAddress !== null);
  t.is(shown.find(({ clientAddress }) => clientAddress !== null)?.clientAddress, client);
  t.true((await failures('/hidden')).every(({ clientAddress }) => clientAddress === null));

  configure({ failures: { clientAddress: 'Hide' } });
  const again = await untilFits(
    'what was kept to be hidden',
    () => failures('/shown'),
    (items) => items.length > 0 && items.every(({ clientAddress }) => clientAddress === null),
  );
  t.false(JSON.stringify(again).includes(client));
});
