import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type MmdbData, mmdb } from '../../scripts/example/mmdb.ts';
import { gatewayWithDataPlane, routeObject, startStandalone } from './standalone.ts';

/** Countries and networks of clients, with a real agent and Envoy. Where clients are is written into X-Forwarded-For, which the listener believes. */

const ours = { apiVersion: 'gatewright.dev/v1alpha1' };
const german: MmdbData = {
  city: { names: { en: 'Nürnberg' } },
  country: { iso_code: 'DE' },
  subdivisions: [{ iso_code: 'BY' }],
};
const french: MmdbData = { country: { iso_code: 'FR' } };
export const places = { '198.51.100.0/24': german, '203.0.113.0/24': french, '2001:db8:1::/48': german };
const networks = {
  '198.51.100.0/24': { autonomous_system_number: 64500, autonomous_system_organization: 'Example' },
};
export const inGermany = '198.51.100.7';
export const inFrance = '203.0.113.7';
export const nowhere = '192.0.2.7';

const headers = {
  country: 'X-Country',
  region: 'X-Region',
  city: 'X-City',
  asn: 'X-ASN',
  organization: 'X-Organization',
};

const policy = (route: string, rules: readonly object[], otherwise: 'Allow' | 'Deny') => ({
  ...ours,
  kind: 'AccessPolicy',
  metadata: { name: route },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: route }],
    authorization: { default: otherwise, rules },
  },
});

const rule = (action: 'Allow' | 'Deny', clientLocations: readonly object[], more: object = {}) => ({
  name: 'place',
  action,
  when: { clientLocations, ...more },
});

const policies = [
  policy('country', [rule('Allow', [{ country: 'DE' }])], 'Deny'),
  policy('denied', [rule('Deny', [{ country: 'FR' }])], 'Allow'),
  policy('city', [rule('Allow', [{ country: 'DE', region: 'BY', city: 'Nürnberg' }])], 'Deny'),
  policy('network', [rule('Allow', [{ asn: 64_500 }])], 'Deny'),
];

const believed = {
  ...ours,
  kind: 'ListenerPolicy',
  metadata: { name: 'edge' },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
    clientIP: { trustedCIDRs: ['127.0.0.1/32'] },
  },
};

/** `databases`: content of the files; undefined: there is none. */
export async function startGeo(t: ExecutionContext, databases: { readonly location?: Buffer; readonly asn?: Buffer }) {
  const folder = mkdtempSync(join(tmpdir(), 'geo-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const paths = { location: join(folder, 'city.mmdb'), asn: join(folder, 'asn.mmdb') };
  /** As those do who keep databases up to date. */
  const replace = (database: 'location' | 'asn', content: Buffer) => {
    writeFileSync(`${paths[database]}.new`, content);
    renameSync(`${paths[database]}.new`, paths[database]);
  };
  if (databases.location) replace('location', databases.location);
  if (databases.asn) replace('asn', databases.asn);
  const world = await startStandalone({ 'policies.yaml': [believed, ...policies] });
  t.teardown(() => world.stop());
  const routes = [
    routeObject('open', 'open.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
    routeObject('country', 'country.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
    routeObject('denied', 'denied.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
    routeObject('city', 'city.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
    routeObject('network', 'network.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
  ].map((object) => object as { readonly metadata: { readonly name: string }; readonly spec: object });
  const late = routes.map((route) =>
    route.metadata.name === 'country'
      ? { ...route, spec: { ...route.spec, hostnames: ['country.test', '*.wild.test'] } }
      : route,
  );
  world.write('web.yaml', ...(await world.backend('web')));
  world.write('routes.yaml', ...late);
  world.write('gateway.yaml', ...gatewayWithDataPlane(world.port, { geoip: { databases: paths, headers } }));
  const ask = (host: string, from: string, more: Readonly<Record<string, string>> = {}) =>
    new Promise<{ readonly status: number; readonly seen: Readonly<Record<string, string>> }>((resolve, reject) => {
      const sent = get(
        { port: world.port, host: '127.0.0.1', agent: false, headers: { host, 'x-forwarded-for': from, ...more } },
        (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (text: string) => {
            body += text;
          });
          response.once('end', () => {
            const status = response.statusCode ?? 0;
            resolve({ status, seen: status === 200 ? JSON.parse(body).headers : {} });
          });
        },
      );
      sent.once('error', reject);
    });
  const statusOf = async (host: string, from: string, more?: Readonly<Record<string, string>>) =>
    (await ask(host, from, more)).status;
  return { ...world, ask, statusOf, replace, paths };
}

export const geoDatabases = { location: mmdb(places), asn: mmdb(networks, { type: 'Test-ASN', recordBits: 24 }) };
