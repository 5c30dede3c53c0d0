import test, { type ExecutionContext } from 'ava';
import { loadConfig } from '../../src/config/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { send } from '../support/http.ts';
import { edgeGateway, ownClass, servedIngress } from '../support/native-ingresses.ts';
import { thorough } from '../support/repetitions.ts';
import { isCurrent, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** A tenant who may write Ingresses and Services in one namespace, at a Gateway that serves those of all. */

const later = '2026-01-02T00:00:00Z';

/** The victim's host and its `/admin`, which only 10.0.0.0/8 may ask for; whatever the tenant writes is younger. */
async function startVictim(t: ExecutionContext) {
  const run = await startStandalone(
    {},
    { config: { ingress: { ...loadConfig(undefined, {}).ingress, enabled: true } } },
  );
  t.teardown(run.stop);
  const gateway = edgeGateway() as KubernetesObject & { readonly spec: { readonly listeners: readonly object[] } };
  const listeners = gateway.spec.listeners.map((listener) => ({ ...listener, port: run.port }));
  const [gatewayClass] = run.gatewayObjects as [object];
  run.write('gateway.yaml', gatewayClass, ownClass(), { ...gateway, spec: { ...gateway.spec, listeners } });
  for (const [namespace, name] of [
    ['shop', 'web'],
    ['evil', 'own'],
  ] as const) {
    const objects = (await run.backend(name)) as KubernetesObject[];
    run.write(`${name}.yaml`, ...objects.map((each) => ({ ...each, metadata: { ...each.metadata, namespace } })));
  }
  const guarded = { 'whitelist-source-range': '10.0.0.0/8' };
  run.write('victim.yaml', servedIngress('web'), servedIngress('admin', { paths: ['/admin'], annotations: guarded }));
  await untilFits(
    'the victim to be served',
    () => run.get('a.test'),
    ({ status }) => status === 200,
  );
  return {
    run,
    async attack(...ingresses: readonly KubernetesObject[]) {
      const sign = servedIngress('sign', { namespace: 'evil', host: 'sign.test', service: 'own', created: later });
      run.write('evil.yaml', sign, ...ingresses);
      await untilFits(
        'the tenant to be served',
        () => run.get('sign.test'),
        ({ status }) => status === 200,
      );
      await untilFits('all of it to be applied', async () => isCurrent(run), Boolean);
    },
    /** Which backend answers the victim's host, and what its guarded path answers. */
    async victim(host = 'a.test') {
      const [open, closed] = await Promise.all([run.get(host), run.get(host, '/admin/x')]);
      return [open.status, open.echo?.backend, closed.status];
    },
  };
}

const evil = (name: string, given: Parameters<typeof servedIngress>[1]) =>
  servedIngress(name, { namespace: 'evil', service: 'own', created: later, ...given });

test("a tenant's Ingress gets no request for a host of another namespace, by no name for it", async (t) => {
  const { attack, victim, run } = await startVictim(t);
  await attack(
    evil('path', { paths: ['/admin', '/stolen'] }),
    evil('exact', { paths: ['/admin/x'], type: 'Exact' }),
    evil('alias', { host: 'b.test', annotations: { 'server-alias': 'a.test, ~^a\\.test$' } }),
    evil('www', { host: 'www.a.test', annotations: { 'from-to-www-redirect': 'true' } }),
    evil('regex', { paths: ['/.*'], annotations: { 'use-regex': 'true' } }),
    evil('canary', { annotations: { canary: 'true', 'canary-weight': '100' } }),
    evil('default', { more: { defaultBackend: { service: { name: 'own', port: { number: 80 } } } } }),
    evil('root', { annotations: { 'app-root': '/stolen' } }),
  );
  t.deepEqual(await victim(), [200, 'web', 403]);
  t.deepEqual(await victim('A.TEST:80'), [200, 'web', 403]);
  t.is((await run.get('a.test', '/stolen')).echo?.backend, 'web');
  t.is((await run.get('b.test')).echo?.backend, 'own', 'what is its own is served');
});

test('text of a configuration of nginx in an annotation changes no answer for others', async (t) => {
  const { attack, victim } = await startVictim(t);
  const injected = '/x; } location / { return 200 "stolen"; } #';
  const names = [
    'rewrite-target',
    'permanent-redirect',
    'app-root',
    'upstream-vhost',
    'server-alias',
    'auth-url',
    'auth-realm',
    'proxy-body-size',
    'custom-headers',
    'configuration-snippet',
    'server-snippet',
    'auth-snippet',
    'cors-allow-origin',
    'session-cookie-name',
    'whitelist-source-range',
    'mirror-target',
    'proxy-redirect-from',
  ];
  await attack(
    ...names.flatMap((name, at) =>
      [injected, `${injected}\r\nX-Evil: 1`, '\u0000', '$', '('].map((value, form) =>
        evil(`i${at}-${form}`, { host: `i${at}-${form}.test`, annotations: { [name]: value, 'enable-cors': 'true' } }),
      ),
    ),
  );
  t.deepEqual(await victim(), [200, 'web', 403]);
});

thorough(test)('paths that no proxy can have take nothing from others', async (t) => {
  const { attack, victim, run } = await startVictim(t);
  await attack(
    evil('open', { host: 'c.test', paths: ['/(', '/[', '/a{99999}'], annotations: { 'use-regex': 'true' } }),
    evil('heavy', { host: 'd.test', paths: [`/${'(a|b)'.repeat(2000)}`], annotations: { 'use-regex': 'true' } }),
    evil('odd', { host: 'e.test', paths: ['/%00', '/\u00e9', '/a?b', '/a#b'] }),
    evil('good', { host: 'f.test' }),
  );
  t.deepEqual(await victim(), [200, 'web', 403]);
  t.is((await run.get('f.test')).echo?.backend, 'own');
  t.is((await send(run.port, { host: 'c.test' })).status, 404);
});
