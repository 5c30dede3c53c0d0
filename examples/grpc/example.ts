import type { Example } from '../../scripts/example/example.ts';

const call = { host: 'shop.localhost', port: 8080, grpc: true } as const;
const tester = { 'x-tester': 'yes' };
const unimplemented = 12;
const web = { 'content-type': 'application/grpc-web-text+proto' };
/** No compression, and no length, in base64. */
const emptyMessage = 'AAAAAAA=';

export const example: Example = {
  grpcBackends: ['cart', 'cart-beta', 'payment'],
  requests: [
    {
      ...call,
      path: '/shop.v1.Cart/Add',
      expect: { status: 200, grpcStatus: 0, backend: 'cart', sees: { 'x-gateway': 'grpc' } },
    },
    {
      ...call,
      path: '/shop.v1.Cart/Add',
      headers: tester,
      expect: { status: 200, grpcStatus: 0, backend: 'cart-beta' },
    },
    { ...call, path: '/shop.v1.Payment/Pay', expect: { status: 200, grpcStatus: 0, backend: 'payment' } },
    {
      host: 'shop.localhost',
      port: 8080,
      method: 'POST',
      path: '/shop.v1.Cart/Add',
      headers: { ...web, accept: 'application/grpc-web-text' },
      body: emptyMessage,
      expect: { status: 200, headers: web },
    },
    { ...call, path: '/shop.v1.Payment/Refund', expect: { status: 200, grpcStatus: unimplemented } },
  ],
};
