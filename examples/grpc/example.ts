import type { Example } from '../../scripts/example/example.ts';

const call = { host: 'shop.localhost', port: 8080, grpc: true } as const;
const tester = { 'x-tester': 'yes' };
const unimplemented = 12;

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
    { ...call, path: '/shop.v1.Payment/Refund', expect: { status: 200, grpcStatus: unimplemented } },
  ],
};
