import test from 'ava';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { json, jwtPolicy, keyServerAddresses, keySet, signer, startKeyServer } from '../support/key-server.ts';
import { routeObject, startStandalone, untilCurrent } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/** When keys are fetched again, through the running program: a real https server, a real Envoy, real tokens. */

test('keys are fetched again when the time of their policy is over, and then those of before are good no more', async (t) => {
  t.timeout(300_000);
  const server = await startKeyServer(t);
  const [old, next] = [await signer('old'), await signer('next')];
  // The server itself would have them kept for an hour.
  const kept = { 'cache-control': 'max-age=3600' };
  server.answer = json(keySet([old]), kept);
  const web = await startBackend(t);
  const gateway = await startStandalone(
    {
      'web.yaml': [
        ...serviceObjects('web', [web.port]),
        routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
        server.trust('id-ca'),
        jwtPolicy('idp', 'web', {
          url: `${server.url}/keys`,
          caCertificateRefs: [{ name: 'id-ca' }],
          cacheDuration: '1m',
        }),
      ],
    },
    { allowedAddresses: [...keyServerAddresses] },
  );
  t.teardown(() => gateway.stop());
  const ask = async (token: string) =>
    (await send(gateway.port, { host: 'web.test', headers: { authorization: `Bearer ${token}` } })).status;
  const [of, by] = [await old.token(), await next.token()];
  await until('the first keys', async () => (await ask(of)) === 200);
  const fetchedOnce = server.requests.length;
  server.answer = json(keySet([next]), kept);
  t.is(await ask(by), 401);
  await until('the next keys', async () => (await ask(by)) === 200);
  t.is(server.requests.length, fetchedOnce + 1);
  // One of the proxy's threads has them; the others are there when all is acknowledged.
  await untilCurrent(gateway);
  t.is(await ask(of), 401);
});
