import type { Example } from '../../scripts/example/example.ts';
import { logInAndOut } from '../../scripts/example/log-in-and-out.ts';

const login = { provider: 9443, port: 8443, hosts: ['app.localhost', 'blue.team.localhost'] } as const;
const app = { scheme: 'https', host: login.hosts[0], port: login.port } as const;
const team = { ...app, host: login.hosts[1] } as const;

export const example: Example = {
  // The provider is on this machine; users' objects may lead there only if the operator allows it.
  allowedAddresses: ['127.0.0.1/32'],
  certificates: [{ secret: 'localhost-cert', hostnames: ['*.localhost', '*.team.localhost'] }],
  login,
  requests: [
    { ...app, path: '/bye', expect: { status: 200, backend: 'app' } },
    { ...app, path: '/api/orders', expect: { status: 401, without: ['location'] } },
    { ...team, path: '/api/orders', expect: { status: 401, without: ['location'] } },
    // What a client pretends to be is not shown to the backend, and is no login.
    { ...app, path: '/api/orders', headers: { 'x-user': 'root', 'x-id-token': 'forged' }, expect: { status: 401 } },
  ],
  after: (running) => logInAndOut(running, login),
};
