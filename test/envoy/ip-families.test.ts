import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { sendHttp3 } from '../../scripts/example/http3.ts';
import { freePort } from '../../scripts/free-port.ts';
import { startBackend } from '../support/http.ts';
import { askUdp, familyGateway, startFamilyWorld, untilStatus } from '../support/ip-families.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/** Proxies on IPv4, on IPv6 and on both, with requests over 127.0.0.1 and ::1. */

const patient = 240_000;
const api = { apiVersion: 'gatewright.dev/v1alpha1' };
const target = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };
const headersIn = ({ body }: { readonly body: string }) => JSON.parse(body) as Record<string, string | undefined>;

test('with both families a proxy is reached by each, and knows its clients by the address that they have', async (t) => {
  t.timeout(patient);
  const clientIPs = { allow: ['::1/128'] };
  const { ask, write, remove } = await startFamilyWorld(t, 'DualStack');
  for (const address of ['127.0.0.1', '::1']) {
    const answer = await untilStatus(address, () => ask(address), 200);
    t.is(headersIn(answer)['x-envoy-external-address'] ?? headersIn(answer)['x-forwarded-for'], address);
  }
  write('access.yaml', {
    ...api,
    kind: 'AccessPolicy',
    metadata: { name: 'six' },
    spec: { targetRefs: [target], clientIPs },
  });
  await untilStatus('a 403 for a client of IPv4', () => ask('127.0.0.1'), 403);
  await untilStatus('a client of IPv6', () => ask('::1'), 200);
  remove('access.yaml');
  await untilStatus('every client', () => ask('127.0.0.1'), 200);
});

test('a proxy in front that is known by its IPv6 network says who the client is', async (t) => {
  t.timeout(patient);
  const policy = { targetRefs: [target], clientIP: { trustedCIDRs: ['::1/128'] } };
  const { ask } = await startFamilyWorld(t, 'DualStack', {
    'policy.yaml': [{ ...api, kind: 'ListenerPolicy', metadata: { name: 'edge' }, spec: policy }],
  });
  const forwarded = { 'x-forwarded-for': '2001:db8::7' };
  const addressOf = async (from: string) =>
    headersIn(await untilStatus(from, () => ask(from, forwarded), 200))['x-envoy-external-address'];
  t.is(await addressOf('::1'), '2001:db8::7');
  t.not(await addressOf('127.0.0.1'), '2001:db8::7');
});

thorough(test)('with IPv6 alone there is no listener on IPv4, and by default none on IPv6', async (t) => {
  t.timeout(patient);
  const six = await startFamilyWorld(t, 'IPv6');
  await untilStatus('IPv6', () => six.ask('::1'), 200);
  t.is(await six.ask('127.0.0.1'), 'refused');
  const four = await startFamilyWorld(t, undefined);
  await untilStatus('IPv4', () => four.ask('127.0.0.1'), 200);
  t.is(await four.ask('::1'), 'refused');
});

thorough(test)('datagrams come in by both families', async (t) => {
  t.timeout(patient);
  const port = await freePort();
  const echo = createSocket('udp4', (message, from) => echo.send(`echo ${message}`, from.port, from.address));
  echo.bind(0, '127.0.0.1');
  await once(echo, 'listening');
  t.teardown(() => echo.close());
  await startFamilyWorld(t, 'DualStack', {
    'gateway.yaml': familyGateway('DualStack', [{ name: 'udp', port, protocol: 'UDP' }]),
    'udp.yaml': [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'echo' },
        spec: { ports: [{ port: 53, protocol: 'UDP' }] },
      },
      slice('echo', 'IPv4', '127.0.0.1', (echo.address() as AddressInfo).port, 'UDP'),
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'UDPRoute',
        metadata: { name: 'echo' },
        spec: { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'echo', port: 53 }] }] },
      },
    ],
  });
  for (const address of ['127.0.0.1', '::1']) t.is(await askUdp(t, address, port, address), `echo ${address}`);
});

thorough(test)('HTTPS and HTTP/3 are served by both families', async (t) => {
  t.timeout(patient);
  const [port, authority] = [await freePort(), await createAuthority('ours')];
  const { certificatePem, keyPem } = await authority.issue({ hostnames: ['web.test'] });
  const listener = { name: 'web', port, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'web' }] } };
  await startFamilyWorld(t, 'DualStack', {
    'gateway.yaml': familyGateway('DualStack', [listener]),
    'http3.yaml': [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name: 'web' },
        stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
      },
      {
        ...api,
        kind: 'ListenerPolicy',
        metadata: { name: 'edge' },
        spec: { targetRefs: [target], http3: { enabled: true } },
      },
    ],
  });
  const ca = authority.certificatePem;
  for (const address of ['127.0.0.1', '::1']) {
    const answer = await until(address, () =>
      sendHttp3({ host: 'web.test', address, port, ca }).catch(() => undefined),
    );
    t.is(answer.status, 200);
  }
});

const slice = (service: string, addressType: string, address: string, port: number, protocol = 'TCP') => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    name: `${service}-${addressType.toLowerCase()}`,
    labels: { 'kubernetes.io/service-name': service },
  },
  addressType,
  ports: [{ port, protocol }],
  endpoints: [{ addresses: [address] }],
});

async function startBoth(t: ExecutionContext) {
  const four = await startBackend(t, (_, response) => response.end('four'), '127.0.0.1');
  const six = await startBackend(t, (_, response) => response.end('six'), '::1');
  const service = (ipFamilies: readonly string[]) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'both' },
    spec: { ports: [{ port: 80 }], ipFamilies, ipFamilyPolicy: 'PreferDualStack' },
  });
  return { service, slices: [slice('both', 'IPv4', '127.0.0.1', four.port), slice('both', 'IPv6', '::1', six.port)] };
}

test('a backend is reached by the first family of its Service', async (t) => {
  t.timeout(patient);
  const { service, slices } = await startBoth(t);
  const { ask, write } = await startFamilyWorld(t, undefined, {
    'both.yaml': [service(['IPv6', 'IPv4']), ...slices],
    'both-route.yaml': [routeObject('both', 'both.test', [{ backendRefs: [{ name: 'both', port: 80 }] }])],
  });
  const answered = (body: string) =>
    untilStatus(
      body,
      async () => {
        const answer = await ask('127.0.0.1', { host: 'both.test' });
        return answer !== 'refused' && answer.body === body ? answer : 'refused';
      },
      200,
    );
  await answered('six');
  write('both.yaml', service(['IPv4', 'IPv6']), ...slices);
  await answered('four');
  write('both.yaml', service(['IPv4']), slices[1] as object);
  await answered('six');
  t.pass();
});
