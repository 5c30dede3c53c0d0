import type { ExecutionContext } from 'ava';
import type { Configuration } from 'oidc-provider';
import { providerOf } from '../../scripts/example/login-provider.ts';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { freePort } from '../../scripts/free-port.ts';
import { issue } from './certificates.ts';
import { type CountingBackend, serviceObjects, startBackend } from './http.ts';
import { type KeyServer, keyServerAddresses, startKeyServer, type startSixServer } from './key-server.ts';
import { addresses, startLyingDns } from './lying-dns.ts';
import { policyConditionsOf, type Standalone, startStandalone } from './standalone.ts';
import { until } from './until.ts';

/** A gateway with HTTPS at which browsers log in, and a real provider: everything is on this machine. */
export interface LoginWorld {
  readonly gateway: Standalone;
  readonly provider: KeyServer;
  /** Of the HTTPS listener. */
  readonly port: number;
  readonly web: CountingBackend;
  /** A page of a host of the gateway. */
  readonly page: (host: string, path?: string) => URL;
  readonly conditions: (policy: string) => string;
}

export interface LoginWorldOptions {
  /** Of the provider. */
  readonly configuration?: Configuration;
  /** Default: one at `https://localhost:PORT`. */
  readonly startProvider?: typeof startSixServer;
  /** Hosts to which the provider may send browsers back, each with `/oauth2/callback`. */
  readonly hosts?: readonly string[];
  readonly routes?: readonly object[];
  readonly policies?: (world: { readonly provider: KeyServer; readonly port: number }) => readonly object[];
}

export const exactHost = 'web.test';
export const lateHost = 'app.wild.test';

/** Waits until a browser is sent to the provider from this page, and others are too: each of a proxy's threads learns of a login by itself. */
export const sends302 = (browser: ScriptedBrowser, url: URL) =>
  until('browsers to be sent to the provider', async () => {
    const all = [browser, ...Array.from({ length: 15 }, () => new ScriptedBrowser())];
    const answers = await Promise.all(all.map((each) => each.ask(url)));
    return answers.every(({ status }) => status === 302);
  });

/** Routes of an exact host and of one that only a wildcard is for. */
export const twoRoutes = (): object[] => [webRoute('web', exactHost), webRoute('wild', '*.wild.test')];

export const webRoute = (name: string, host: string, more: object = {}): object => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name },
  spec: {
    parentRefs: [{ name: 'edge' }],
    hostnames: [host],
    rules: [{ backendRefs: [{ name: 'web', port: 80 }], ...more }],
  },
});

/** The Secret that policies name; without a text, with the one that the provider knows. */
export const clientSecret = (text = 's3cret-s3cret'): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'oidc' },
  data: { 'client-secret': Buffer.from(text).toString('base64') },
});

/** An AccessPolicy by which browsers log in. */
export const loginPolicy = (
  name: string,
  target: object,
  provider: Pick<KeyServer, 'url'>,
  more: object = {},
  parts: object = {},
): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }],
    oidc: {
      issuer: provider.url,
      caCertificateRefs: [{ name: 'id-ca' }],
      client: { id: 'gw', secretRef: { name: 'oidc' } },
      ...more,
    },
    ...parts,
  },
});

export const gatewayTarget = { kind: 'Gateway', name: 'edge' };
export const routeTarget = (name: string) => ({ kind: 'HTTPRoute', name });

const gatewayObjects = (port: number, tls: { readonly certificate: string; readonly key: string }): object[] => [
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: 'gatewright' },
    spec: { controllerName: 'gatewright.dev/gateway-controller' },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'edge' },
    spec: {
      gatewayClassName: 'gatewright',
      listeners: [
        {
          name: 'https',
          port,
          protocol: 'HTTPS',
          tls: { certificateRefs: [{ name: 'edge-tls' }] },
          allowedRoutes: { namespaces: { from: 'All' } },
        },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: 'edge-tls' },
    data: {
      'tls.crt': Buffer.from(tls.certificate).toString('base64'),
      'tls.key': Buffer.from(tls.key).toString('base64'),
    },
  },
];

/** All of a world but the gateway itself. */
export interface LoginParts extends Pick<LoginWorld, 'provider' | 'port' | 'web' | 'page'> {
  readonly files: Readonly<Record<string, readonly object[]>>;
  /** It knows where the provider is. */
  readonly nameServer: { readonly host: string; readonly port: number };
}

export async function loginParts(
  t: ExecutionContext,
  {
    configuration,
    startProvider = startKeyServer,
    hosts = [exactHost, lateHost],
    routes = twoRoutes(),
    policies = () => [],
  }: LoginWorldOptions = {},
): Promise<LoginParts> {
  const provider = await startProvider(t);
  const port = await freePort();
  const urls = hosts.map((host) => `https://${host}:${port}`);
  provider.answer = (await providerOf(provider.url, urls, configuration)).callback();
  const dns = await startLyingDns(t);
  dns.set('localhost', addresses('localhost', ['127.0.0.1']));
  const web = await startBackend(t, (request, response) => response.end(`page ${request.url}`));
  return {
    provider,
    port,
    web,
    page: (host, path = '/') => new URL(`https://${host}:${port}${path}`),
    files: {
      'gateway.yaml': gatewayObjects(port, await issue('*.test', '*.wild.test')),
      'web.yaml': [...serviceObjects('web', [web.port]), ...routes, provider.trust('id-ca')],
      'secret.yaml': [clientSecret()],
      'policy.yaml': policies({ provider, port }),
    },
    nameServer: { host: dns.host, port: dns.port },
  };
}

export async function loginWorld(t: ExecutionContext, options?: LoginWorldOptions): Promise<LoginWorld> {
  const { files, nameServer, ...parts } = await loginParts(t, options);
  const gateway = await startStandalone(files, {
    allowedAddresses: [...keyServerAddresses],
    nameServers: [nameServer],
  });
  t.teardown(() => gateway.stop());
  await until('the listener to be open', () => gateway.control.xds.nodes.list().some(({ ready }) => ready));
  return { ...parts, gateway, conditions: (name) => policyConditionsOf(gateway, name) };
}
