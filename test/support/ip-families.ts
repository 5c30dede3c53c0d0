import { createSocket } from 'node:dgram';
import http from 'node:http';
import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { serviceObjects, startBackend } from './http.ts';
import { gatewayObjects, routeObject, type Standalone, startStandalone } from './standalone.ts';
import { until } from './until.ts';

/** How a request came out; `refused`: there is no listener at that address. */
export type Outcome = { readonly status: number; readonly body: string } | 'refused';

export interface FamilyWorld extends Standalone {
  readonly httpPort: number;
  /** One request to an address of this machine, on a connection of its own; headers may say more of it. */
  ask(address: string, headers?: Readonly<Record<string, string>>): Promise<Outcome>;
}

/** A gateway on all addresses of a family, before a backend that says where a request came from. */
export async function startFamilyWorld(
  t: ExecutionContext<unknown>,
  ipFamily: string | undefined,
  files: Readonly<Record<string, readonly object[]>> = {},
): Promise<FamilyWorld> {
  const port = await freePort();
  const listener = { name: 'http', port, protocol: 'HTTP' };
  const web = await startBackend(t, ({ headers }, response) => response.end(JSON.stringify(headers)));
  const world = await startStandalone({
    'gateway.yaml': familyGateway(ipFamily, [listener]),
    'web.yaml': serviceObjects('web', [web.port]),
    'route.yaml': [routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
    ...files,
  });
  t.teardown(world.stop);
  const ask: FamilyWorld['ask'] = (address, headers = {}) => send(address, port, { host: 'web.test', ...headers });
  return { ...world, httpPort: port, ask };
}

/** A Gateway on all addresses of a family, with these listeners. */
export function familyGateway(ipFamily: string | undefined, listeners: readonly object[]): object[] {
  const [gatewayClass, gateway] = gatewayObjects(0, '0.0.0.0') as [object, { readonly spec: object }];
  const infrastructure = { parametersRef: { group: 'gatewright.dev', kind: 'DataPlane', name: 'edge' } };
  const dataPlane = {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'DataPlane',
    metadata: { name: 'edge' },
    spec: { drainTime: '1s', minDrainTime: '0s', ...(ipFamily && { ipFamily }) },
  };
  return [gatewayClass, { ...gateway, spec: { ...gateway.spec, infrastructure, listeners } }, dataPlane];
}

function send(host: string, port: number, headers: Readonly<Record<string, string>>): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    http
      .get({ host, port, headers, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
      })
      .once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') resolve('refused');
        else reject(error);
      });
  });
}

/** The answer, once it has this status. */
export const untilStatus = (what: string, ask: () => Promise<Outcome>, status: number) =>
  until(what, async () => {
    const outcome = await ask();
    return outcome !== 'refused' && outcome.status === status ? outcome : undefined;
  });

/** What comes back for a datagram, which is sent again until something does. */
export function askUdp(t: ExecutionContext<unknown>, address: string, port: number, text: string): Promise<string> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  t.teardown(() => socket.close());
  return new Promise((resolve, reject) => {
    const send = setInterval(() => socket.send(text, port, address), 200);
    t.teardown(() => clearInterval(send));
    socket.once('error', reject);
    socket.once('message', (answer) => {
      clearInterval(send);
      resolve(answer.toString());
    });
  });
}
