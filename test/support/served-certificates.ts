import tls from 'node:tls';
import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { issue } from './certificates.ts';
import { serviceObjects, startBackend } from './http.ts';
import { edgeGateway, type IngressText, ownClass, servedIngress } from './native-ingresses.ts';
import { isCurrent, startStandalone } from './standalone.ts';
import { askTls } from './tls-ask.ts';
import { untilFits } from './until.ts';

/** Served Ingresses with certificates, for handshakes with a real Envoy. */

const gatewayClass = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'gatewright' },
  spec: { controllerName: 'gatewright.dev/gateway-controller' },
};

/** A certificate for some names; its common name is the first of them. */
export async function secretOf(key: string, ...names: readonly string[]): Promise<KubernetesObject> {
  const [namespace, name] = key.split('/');
  const { certificate, key: privateKey } = await issue(...names);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name, namespace },
    data: {
      'tls.crt': Buffer.from(certificate).toString('base64'),
      'tls.key': Buffer.from(privateKey).toString('base64'),
    },
  } as unknown as KubernetesObject;
}

/** The common name of the certificate that a client sees; undefined: the handshake fails. */
export const shownTo = (port: number, servername: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
    socket.once('secureConnect', () => {
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      resolve(String(subject?.CN));
    });
    socket.once('error', () => resolve(undefined));
  });

/** A Gateway with HTTPS listeners; `https`: their hostnames and Secrets of `infra`. Service `web` of `shop` and of `away` say which they are. */
export async function startServedCertificates(
  t: ExecutionContext,
  https: readonly { readonly hostname?: string; readonly secret: string }[],
  secrets: readonly KubernetesObject[],
  ingresses: readonly KubernetesObject[],
) {
  const services = await Promise.all(
    ['shop', 'away'].map(async (namespace) => {
      const { port } = await startBackend(t, (_, response) => response.end(namespace));
      return serviceObjects('web', [port]).map((object) => {
        const { metadata } = object as { readonly metadata: object };
        return { ...object, metadata: { ...metadata, namespace } };
      });
    }),
  );
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const gateway = edgeGateway();
  const { spec } = gateway as unknown as { readonly spec: { readonly listeners: readonly object[] } };
  const listeners = [
    ...spec.listeners.map((listener) => ({ ...listener, port: httpPort })),
    ...https.map(({ hostname, secret }, at) => ({
      name: `https-${at}`,
      port: httpsPort,
      protocol: 'HTTPS',
      ...(hostname !== undefined && { hostname }),
      tls: { certificateRefs: [{ name: secret }] },
      allowedRoutes: { namespaces: { from: 'All' } },
    })),
  ];
  const run = await startStandalone(
    {
      'gateway.yaml': [gatewayClass, ownClass(), { ...gateway, spec: { ...spec, listeners } }],
      'services.yaml': services.flat(),
      'secrets.yaml': secrets,
      ...Object.fromEntries(ingresses.map((ingress) => [`${ingress.metadata.name}.yaml`, [ingress]])),
    },
    { config: { ingress: { ...loadConfig(undefined, {}).ingress, enabled: true } } },
  );
  t.teardown(run.stop);
  await untilFits('all of it to be applied', async () => isCurrent(run), Boolean);
  const ask = async (host: string) => {
    const { status, body } = await askTls(httpsPort, { host });
    return `${status} ${body}`;
  };
  return { run, httpPort, httpsPort, ask, services: services.flat() };
}

/** An Ingress with sections `tls`. */
export const ingressOf = (
  name: string,
  host: string,
  sections: readonly object[] | undefined,
  given: IngressText = {},
) => servedIngress(name, { host, ...given, ...(sections && { more: { tls: sections } }) });
