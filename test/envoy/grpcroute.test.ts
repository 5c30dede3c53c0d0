import { Client, credentials, Metadata, Server, ServerCredentials, type ServiceError, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

const identity = (bytes: Buffer): Buffer => bytes;

const unary = (path: string) => ({
  path,
  requestStream: false as const,
  responseStream: false as const,
  requestSerialize: identity,
  requestDeserialize: identity,
  responseSerialize: identity,
  responseDeserialize: identity,
});

/** A gRPC server that answers `NAME METHOD x-tag` to every call of `shop.Cart` and `shop.Pay`. */
async function startGrpcBackend(t: ExecutionContext, name: string): Promise<number> {
  const server = new Server();
  for (const service of ['shop.Cart', 'shop.Pay']) {
    const methods = ['Add', 'Get'].map((method) => [method, unary(`/${service}/${method}`)] as const);
    server.addService(
      Object.fromEntries(methods),
      Object.fromEntries(
        methods.map(([method]) => [
          method,
          (call: { metadata: Metadata }, done: (error: null, value: Buffer) => void) =>
            done(null, Buffer.from(`${name} ${method} ${call.metadata.get('x-tag').join(',')}`.trim())),
        ]),
      ),
    );
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  t.teardown(() => server.forceShutdown());
  return port;
}

interface GrpcAnswer {
  readonly code: number;
  readonly text: string;
}

function caller(t: ExecutionContext, { port }: Standalone, host: string) {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.default_authority': host });
  t.teardown(() => client.close());
  return (path: string, headers: Readonly<Record<string, string>> = {}): Promise<GrpcAnswer> =>
    new Promise((resolve) => {
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
      const done = (error: ServiceError | null, value?: Buffer) =>
        resolve({ code: error?.code ?? status.OK, text: error ? error.details : (value?.toString() ?? '') });
      client.makeUnaryRequest(path, identity, identity, Buffer.from(''), metadata, done);
    });
}

const grpcRoute = (name: string, rules: readonly object[]): object => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GRPCRoute',
  metadata: { name },
  spec: { parentRefs: [{ name: 'edge' }], hostnames: ['h.test'], rules },
});

const to = (...names: readonly string[]) => names.map((name) => ({ name, port: 80 }));

test('gRPC calls find their rule by service, method and headers, and leave HTTP requests of the host alone', async (t) => {
  const [one, two, web] = [await startGrpcBackend(t, 'one'), await startGrpcBackend(t, 'two'), await startBackend(t)];
  const standalone = await startStandalone({
    'backends.yaml': [
      ...serviceObjects('one', [one]),
      ...serviceObjects('two', [two], { appProtocol: 'kubernetes.io/h2c' }),
      ...serviceObjects('web', [web.port]),
    ],
    'routes.yaml': [
      grpcRoute('calls', [
        {
          matches: [{ method: { service: 'shop.Cart' } }],
          filters: [
            { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x-tag', value: 'set' }] } },
          ],
          backendRefs: to('one'),
        },
        { matches: [{ method: { service: 'shop.Cart', method: 'Get' } }], backendRefs: to('two') },
        {
          matches: [{ method: { service: 'shop.Cart', method: 'Get' }, headers: [{ name: 'x-to', value: 'one' }] }],
          backendRefs: to('one'),
        },
        {
          matches: [{ method: { type: 'RegularExpression', service: 'shop[.]P.*', method: 'A.+' } }],
          backendRefs: to('two'),
        },
        { matches: [{ method: { service: 'lost.Lost' } }], backendRefs: to('gone') },
        { matches: [{ method: { service: 'half.Half' } }], backendRefs: to('one', 'gone') },
      ]),
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'HTTPRoute',
        metadata: { name: 'pages' },
        spec: {
          parentRefs: [{ name: 'edge' }],
          hostnames: ['h.test'],
          rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/shop.Cart' } }], backendRefs: to('web') }],
        },
      },
    ],
  });
  t.teardown(() => standalone.stop());
  const call = caller(t, standalone, 'h.test');
  const answer = (text: string): GrpcAnswer => ({ code: status.OK, text });
  await untilFits(
    'calls to get through',
    () => call('/shop.Cart/Add'),
    ({ code }) => code === status.OK,
  );
  t.deepEqual(await call('/shop.Cart/Add'), answer('one Add set'));
  t.deepEqual(await call('/shop.Cart/Get'), answer('two Get'));
  t.deepEqual(await call('/shop.Cart/Get', { 'x-to': 'one' }), answer('one Get'));
  t.deepEqual(await call('/shop.Pay/Add'), answer('two Add'));
  t.is((await call('/shop.Pay/Get')).code, status.UNIMPLEMENTED);
  t.is((await call('/lost.Lost/Add')).code, status.UNAVAILABLE);
  const codes = new Set<number>();
  for (let sent = 0; sent < 40; sent++) codes.add((await call('/half.Half/Add')).code);
  // The backend that is there does not know the service.
  t.deepEqual([...codes].sort(), [status.UNIMPLEMENTED, status.UNAVAILABLE]);
  t.is((await send(standalone.port, { host: 'h.test', path: '/shop.Cart/Add' })).body, 'ok');
});

test('policies of a GRPCRoute and of one of its rules guard calls, in the words of gRPC, and one that is broken closes its rule', async (t) => {
  const one = await startGrpcBackend(t, 'one');
  const group = 'gateway.networking.k8s.io';
  const policy = (name: string, sectionName: string | undefined, parts: object): object => ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name },
    spec: { targetRefs: [{ group, kind: 'GRPCRoute', name: 'calls', ...(sectionName && { sectionName }) }], ...parts },
  });
  const apiKeys = (secret: string) => ({ apiKeys: { secretRefs: [{ name: secret }], from: [{ header: 'x-key' }] } });
  const standalone = await startStandalone({
    'routes.yaml': [
      ...serviceObjects('one', [one]),
      grpcRoute('calls', [
        { name: 'cart', matches: [{ method: { service: 'shop.Cart', method: 'Add' } }], backendRefs: to('one') },
        { name: 'far', matches: [{ method: { service: 'shop.Pay' } }], backendRefs: to('one') },
        { name: 'get', matches: [{ method: { service: 'shop.Cart', method: 'Get' } }], backendRefs: to('one') },
      ]),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'keys', labels: { 'gatewright.dev/credentials': 'true' } },
        stringData: { ann: 'key-of-ann' },
      },
      policy('calls', undefined, apiKeys('keys')),
      policy('far', 'far', { clientIPs: { allow: ['192.0.2.0/24'] } }),
      policy('get', 'get', { clientIPs: { deny: ['10.1.2.3/8'] } }),
    ],
  });
  t.teardown(() => standalone.stop());
  const call = caller(t, standalone, 'h.test');
  const key = { 'x-key': 'key-of-ann' };
  await untilFits(
    'calls to get through',
    () => call('/shop.Cart/Add', key),
    ({ code }) => code === status.OK,
  );
  t.is((await call('/shop.Cart/Add')).code, status.UNAUTHENTICATED);
  t.is((await call('/shop.Cart/Add', { 'x-key': 'key-of-eve' })).code, status.UNAUTHENTICATED);
  t.is((await call('/shop.Pay/Add', key)).code, status.PERMISSION_DENIED);
  for (const headers of [{}, key]) t.is((await call('/shop.Cart/Get', headers)).code, status.UNKNOWN);
  t.is((await send(standalone.port, { host: 'h.test', path: '/shop.Cart/Add' })).status, 404, 'no call, so no route');
});
