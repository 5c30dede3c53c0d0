import test from 'ava';
import { readRequest } from '../../../page/src/pages/why/curl-line.ts';

const get = { method: 'GET', port: undefined, headers: [], ignored: [] };

const requests: Readonly<Record<string, object>> = {
  'shop.example.com': { ...get, host: 'shop.example.com', path: '/', scheme: undefined },
  'shop.example.com/cart?x=1': { ...get, host: 'shop.example.com', path: '/cart?x=1', scheme: undefined },
  'https://shop.example.com:8443/a/../b//c': {
    ...get,
    host: 'shop.example.com',
    path: '/a/../b//c',
    scheme: 'https',
    port: 8443,
  },
  'http://[::1]:8080/x': { ...get, host: '::1', path: '/x', scheme: 'http', port: 8080 },
  "curl -s -i --resolve hello.localhost:8080:127.0.0.1 'http://hello.localhost:8080/'": {
    ...get,
    host: 'hello.localhost',
    path: '/',
    scheme: 'http',
    port: 8080,
    ignored: ['-s', '-i', '--resolve'],
  },
  'curl -H \'x-user: a:b\' \\\n  -H "Host: shop.example.com" http://10.0.0.1/cart': {
    ...get,
    host: 'shop.example.com',
    path: '/cart',
    scheme: 'http',
    headers: [['x-user', 'a:b']],
  },
  'curl -XDELETE -A agent -b k=v http://a.example/': {
    ...get,
    method: 'DELETE',
    host: 'a.example',
    path: '/',
    scheme: 'http',
    headers: [
      ['user-agent', 'agent'],
      ['cookie', 'k=v'],
    ],
  },
  'curl -d a=1 --data b=2 http://a.example/form': {
    ...get,
    method: 'POST',
    host: 'a.example',
    path: '/form',
    scheme: 'http',
  },
  'curl -G -d a=1 http://a.example/': { ...get, host: 'a.example', path: '/', scheme: 'http' },
  'curl -I http://a.example/': { ...get, method: 'HEAD', host: 'a.example', path: '/', scheme: 'http' },
  'curl -u me:secret http://a.example/': {
    ...get,
    host: 'a.example',
    path: '/',
    scheme: 'http',
    headers: [['authorization', 'Basic bWU6c2VjcmV0']],
  },
  '$ curl --request=PUT --url http://a.example/x -k': {
    ...get,
    method: 'PUT',
    host: 'a.example',
    path: '/x',
    scheme: 'http',
    ignored: ['-k'],
  },
};

for (const [text, expected] of Object.entries(requests)) {
  test(`reads ${JSON.stringify(text)}`, (t) => {
    t.deepEqual(readRequest(text) as object, expected);
  });
}

const faults: Readonly<Record<string, object>> = {
  '   ': { fault: 'empty', word: '' },
  "curl 'http://a.example": { fault: 'quote', word: "'http://a.example" },
  'curl -s': { fault: 'url', word: '' },
  'curl http://a.example -H': { fault: 'value', word: '-H' },
  'http://[::1/x': { fault: 'url', word: 'http://[::1/x' },
};

for (const [text, expected] of Object.entries(faults)) {
  test(`names the fault of ${JSON.stringify(text)}`, (t) => {
    t.deepEqual(readRequest(text) as object, expected);
  });
}
