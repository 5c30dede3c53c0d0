import type { Example } from '../../scripts/example/example.ts';

const request = (name: string) => ({ host: `${name}.localhost`, path: '/' });

export const example: Example = {
  // Made when the example starts, and gone with it.
  certificates: [
    { secret: 'shop-cert', hostnames: ['shop.localhost'] },
    { secret: 'hello-cert', hostnames: ['hello.localhost'] },
  ],
  requests: [
    { ...request('shop'), port: 8080, expect: { status: 200, backend: 'shop' } },
    { ...request('hello'), port: 8080, expect: { status: 200, backend: 'hello' } },
    {
      ...request('shop'),
      scheme: 'https',
      port: 8443,
      expect: { status: 200, backend: 'shop', certificate: 'shop.localhost' },
    },
    {
      ...request('hello'),
      scheme: 'https',
      port: 8443,
      expect: { status: 200, backend: 'hello', certificate: 'hello.localhost' },
    },
    { ...request('other'), port: 8080, expect: { status: 404 } },
  ],
};
