import { randomBytes } from 'node:crypto';
import test from 'ava';
import bcrypt from 'bcryptjs';
import type { Operation } from '../../src/admin/index.ts';
import { operations } from '../../src/app/addons/operations.ts';
import { loadConfig, SecretText } from '../../src/config/index.ts';
import { issue } from '../support/certificates.ts';
import { ownClass, servedIngress } from '../support/native-ingresses.ts';
import { request } from '../support/request.ts';
import { gatewayObjects, routeObject, type Standalone, startStandalone, untilCurrent } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/*
 * Fifty secrets are planted wherever secrets are kept, and everything that any port answers and every line that is logged is looked through.
 */

const planted: string[] = [];

/** A word that is nowhere else, remembered as what must not be seen: as it is, and as Secrets have it. */
function plant(): string {
  const word = `hush${randomBytes(12).toString('hex')}`;
  planted.push(word, Buffer.from(word).toString('base64').slice(0, 28));
  return word;
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');

const secretObject = (name: string, type: string, data: Readonly<Record<string, string>>): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  type,
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, encoded(text)])),
});

const linesOf = (pem: string): string[] =>
  pem.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));

async function certificate(name: string): Promise<object> {
  const { certificate: chain, key } = await issue('shop.test');
  planted.push(...linesOf(key), encoded(key).slice(40, 100));
  return secretObject(name, 'kubernetes.io/tls', { 'tls.crt': chain, 'tls.key': key, password: plant() });
}

/** A user whose password the agent checks: proxies have the hash, in base64 as a part of their list. */
function usersObject(): object {
  const hash = bcrypt.hashSync(plant(), 4);
  const list = `ann:${hash}\n`;
  planted.push(hash, hash.slice(7), encoded(list).slice(0, 60));
  return secretObject('users', 'Opaque', { '.htpasswd': list });
}

const policy = {
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name: 'shop' },
  spec: {
    targetRefs: ['Gateway', 'HTTPRoute'].map((kind) => ({
      group: 'gateway.networking.k8s.io',
      kind,
      name: kind === 'Gateway' ? 'edge' : 'shop',
    })),
    basicAuth: { secretRef: { name: 'users' } },
  },
};

const rule = [{ backendRefs: [{ name: 'web', port: 80 }] }];

async function startWorld(): Promise<{ readonly standalone: Standalone; readonly token: string }> {
  const token = plant();
  const adminAuth = {
    bearerToken: new SecretText(token),
    readOnlyBearerToken: new SecretText(plant()),
    protect: ['layout2' as const, 'metrics' as const],
  };
  const standalone = await startStandalone(
    {},
    { config: { adminAuth, ingress: { ...loadConfig(undefined, {}).ingress, enabled: true } } },
  );
  const [gatewayClass, gateway] = gatewayObjects(standalone.port) as [object, { spec: { listeners: object[] } }];
  standalone.write('gateway.yaml', gatewayClass, {
    ...gateway,
    spec: {
      ...gateway.spec,
      tls: { backend: { clientCertificateRef: { name: 'client' } } },
      listeners: [
        { name: 'https', port: standalone.port, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'served' }] } },
      ],
    },
  });
  const opaque = Array.from({ length: 15 }, (_, index) =>
    secretObject(`opaque-${index}`, 'Opaque', { a: plant(), token: plant() }),
  );
  const certificates = await Promise.all(['served', 'client', 'unused', 'other'].map(certificate));
  const broken = secretObject('broken', 'kubernetes.io/tls', { 'tls.crt': plant(), 'tls.key': plant() });
  standalone.write('secrets.yaml', ...opaque, ...certificates, broken, usersObject());
  standalone.write('policy.yaml', policy);
  standalone.write('backends.yaml', ...(await standalone.backend('web')));
  standalone.write('shop.yaml', { ...routeObject('shop', 'shop.test', rule), metadata: { name: 'shop' } });
  standalone.write(
    'ingress.yaml',
    ownClass('gatewright', {}, 'default'),
    servedIngress('shop', {
      namespace: 'default',
      host: 'ingress.test',
      annotations: { 'auth-type': 'basic', 'auth-secret': 'opaque-0' },
      more: { tls: [{ hosts: ['ingress.test'], secretName: 'other' }] },
    }),
  );
  return { standalone, token };
}

const pathOf = ({ path }: Operation, nodeId: string, report: string): string => {
  const names: Readonly<Record<string, string>> = path.startsWith('/v1/listeners')
    ? { name: 'default.edge.https' }
    : path.includes('/gateways/')
      ? { namespace: 'default', name: 'edge' }
      : path.includes('/backends/')
        ? { namespace: 'default', name: 'web:80' }
        : { kind: 'HTTPRoute', namespace: 'default', name: 'shop', code: 'node_rejected', nodeId, report };
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(names[name] ?? name));
  return path === '/v1/access' ? `${filled}?route=HTTPRoute/default/shop` : filled;
};

test('none of fifty secrets is in any answer of any port, nor in the log', async (t) => {
  const { standalone, token } = await startWorld();
  t.teardown(() => standalone.stop());
  const { control, agentPort, log } = standalone;
  t.true(planted.length >= 50, `${planted.length}`);
  const read = { Secret: 'users', AccessPolicy: 'shop', Service: 'web', HTTPRoute: 'shop', Ingress: 'shop' } as const;
  // A file may be served before the next one is read.
  await until('each of the files to be read', () =>
    Object.entries(read).every(([kind, name]) => control.graph.find(kind as keyof typeof read, `default/${name}`)),
  );
  await untilCurrent(standalone);
  await until('everything to be served', () => {
    const snapshot = control.graph.snapshot();
    return (snapshot?.gateways.get('default/edge')?.secrets.size ?? 0) > 0 && (snapshot?.counts.routes ?? 0) > 0;
  });
  const nodeId = control.xds.nodes.list()[0]?.nodeId ?? '';
  const ports = { 'Layout 2, control plane': control.ports.layout2, 'Layout 2, data plane': agentPort };
  const reads = operations.filter(({ method, media }) => method === 'get' && media !== 'text/event-stream');
  const urls = reads.flatMap((operation) => {
    const port = ports[operation.tag as keyof typeof ports] ?? control.ports.layout1;
    const all = operation.path.includes(':report') ? ['status', 'config-dump', 'stats', 'xds'] : [''];
    return all.map((report) => `http://127.0.0.1:${port}${pathOf(operation, nodeId, report)}`);
  });
  const { layout1, metrics } = control.ports;
  urls.push(
    `http://127.0.0.1:${layout1}/v1/snapshot?format=envoy&node=${encodeURIComponent(nodeId)}`,
    `http://127.0.0.1:${agentPort}/api/v1/config?raw=true`,
    `http://127.0.0.1:${agentPort}/api/v1/stats?filter=.`,
    `http://127.0.0.1:${metrics}/metrics`,
  );
  const headers = { authorization: `Bearer ${token}` };
  const texts = new Map<string, string>();
  for (const url of urls) {
    const { status, text } = await untilFits(
      url,
      async () => {
        const response = await request(url, { headers });
        return { status: response.status, text: `${JSON.stringify([...response.headers])} ${await response.text()}` };
      },
      ({ status: code }) => code !== 502 && code !== 503,
    );
    t.true(status === 200 || status === 501, `${url}: ${status} ${text.slice(0, 200)}`);
    texts.set(url, text);
  }
  const diff = await request(`http://127.0.0.1:${layout1}/v1/diff`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [secretObject('served', 'kubernetes.io/tls', { 'tls.crt': plant(), 'tls.key': plant() })],
    }),
  });
  t.is(diff.status, 200);
  texts.set('/v1/diff', await diff.text());
  texts.set('the log', log.map((line) => JSON.stringify(line)).join('\n'));
  t.true(
    [...texts.values()].some((text) => text.includes('shop.test')),
    'there is something to be seen',
  );
  t.true(
    [...texts].filter(([, text]) => /"authorization_request":\s*"\[redacted\]"/.test(text)).length >= 2,
    'control plane and agent show the question to the agent',
  );
  for (const [url, text] of texts)
    t.deepEqual(
      planted.filter((secret) => text.includes(secret)),
      [],
      url,
    );
});
