import { createServer, type ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { backend, startWorld } from '../support/graph-proxy.ts';
import { send } from '../support/http.ts';
import { listening } from '../support/listening.ts';
import { backendTlsPolicy, configMap, gateway, httpRoute, pod, xObject } from '../support/objects.ts';
import { policy, startRuled } from '../support/ruled-backend.ts';
import { untilFits } from '../support/until.ts';

/** What TLS to backends begins with, and whom it trusts, with a real Envoy. */

const authority = await createAuthority('ours');
const ours = [{ group: '', kind: 'ConfigMap', name: 'ours' }];
const trusted = configMap('ours', { 'ca.crt': authority.certificatePem });

/** Answers the name that the client asked for in its first message. */
async function startTls(t: ExecutionContext, own: { uris?: string[] } = {}, more: ServerOptions = {}): Promise<number> {
  const { certificatePem, keyPem } = await authority.issue({ hostnames: ['web.test'], ...own });
  const server = createServer({ cert: certificatePem, key: keyPem, ...more }, ({ socket }, response) =>
    response.end(String((socket as TLSSocket).servername)),
  );
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  return await listening(t, server);
}

test('keys are exchanged by the curves that a policy names', async (t) => {
  const port = await startTls(t, {}, { ecdhCurve: 'P-384' });
  const { ask, apply } = await startRuled(t, { tls: { curves: ['P-384'] } }, [
    ...backend('web', port),
    trusted,
    backendTlsPolicy('web', {
      targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
      validation: { hostname: 'web.test', caCertificateRefs: ours },
    } as never),
  ]);
  t.is((await ask()).status, 200);
  await apply(policy({ tls: { curves: ['P-256'] } }));
  await untilFits('no handshake', ask, ({ status }) => status === 503);
  await apply(policy({ tls: { curves: ['P-256', 'P-384'] } }));
  await untilFits('a handshake', ask, ({ status }) => status === 200);
  t.pass();
});

test('an XBackend is known by other names than the one it is asked for, and not trusted by strange authorities', async (t) => {
  const port = await startTls(t, { uris: ['spiffe://mesh/web'] });
  const names = ['dns', 'uri', 'other', 'system'] as const;
  const xBackend = (name: string, validation: object) =>
    xObject('XBackend', name, {
      type: 'EndpointSelector',
      endpointSelector: { matchLabels: { app: 'web' } },
      port: { number: port },
      tls: { mode: 'ServerOnly', validation: { hostname: 'sni.test', ...validation } },
    });
  const world = await startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    pod('web', { app: 'web' }, '127.0.0.1'),
    trusted,
    xBackend('dns', { caCertificateRefs: ours, subjectAltNames: [{ type: 'Hostname', hostname: 'web.test' }] }),
    xBackend('uri', { caCertificateRefs: ours, subjectAltNames: [{ type: 'URI', uri: 'spiffe://mesh/web' }] }),
    xBackend('other', { caCertificateRefs: ours, subjectAltNames: [{ type: 'URI', uri: 'spiffe://mesh/other' }] }),
    xBackend('system', { hostname: 'web.test', wellKnownCACertificates: 'System' }),
    httpRoute('web', {
      hostnames: ['web.test'],
      rules: names.map((name) => ({
        matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
        backendRefs: [{ group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name }],
      })) as never,
    }),
  );
  const at = await world.envoy.port('http/80');
  const ask = (name: string) => send(at, { host: 'web.test', path: `/${name}` });
  for (const name of ['dns', 'uri']) t.like(await ask(name), { status: 200, body: 'sni.test' }, name);
  for (const name of ['other', 'system']) {
    t.is((await ask(name)).status, 503, name);
  }
});
