import { createHash, X509Certificate } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import * as ir from '../../src/ir/index.ts';
import { judgeAccess } from '../../src/offline/access/index.ts';
import { PasswordChecks } from '../../src/passwords/index.ts';
import type { EnvoyResource } from '../../src/translate/index.ts';
import { type ClientCertificate, type ClientNames, createClientAuthority } from '../support/client-certificates.ts';
import { send, startBackend } from '../support/http.ts';
import { httpListener, route, snapshotOf, table, tableGuards, translateAll, virtualHost } from '../support/ir.ts';
import { startProxy } from '../support/ir-proxy.ts';
import { every, thorough } from '../support/repetitions.ts';
import { askTls } from '../support/tls-ask.ts';

/** What a demand for certificates comes to, with real Envoy: at every level, on hosts that are found at once and late. */

const sensitive = (text: string) => new ir.Sensitive(Buffer.from(text));
const [ours, strange] = await Promise.all([createClientAuthority('ours'), createClientAuthority('strange')]);
const server = await ours.issue({ subject: 'CN=server', dns: ['a.test'] });
const key = 'https/443';
const tableKey = 'https/443/web';
const plain = 'http/80';
const exactHost = 'a.test';
const lateHost = 'b.wild.test';

const shown: Readonly<Record<string, ClientNames>> = {
  dns: { subject: 'CN=dns', dns: ['alice.corp'] },
  capitals: { subject: 'CN=capitals', dns: ['ALICE.Corp'] },
  below: { dns: ['x.alice.corp'] },
  wildcard: { subject: 'CN=wildcard', dns: ['*.corp'] },
  uri: { subject: 'CN=uri', uris: ['spiffe://corp/alice'] },
  uriCapitals: { subject: 'CN=uri', uris: ['SPIFFE://corp/alice'] },
  uriBelow: { uris: ['spiffe://corp/alice/one'] },
  subject: { subject: 'CN=alice,O=Corp' },
  subjectAndNames: { subject: 'CN=alice,O=Corp', dns: ['other.corp'], uris: ['spiffe://corp/other'] },
  subjectAsUri: { subject: 'CN=bob', uris: ['CN=alice,O=Corp'] },
  dnsAsSubject: { subject: 'CN=alice.corp' },
  dnsAsUri: { subject: 'CN=x', uris: ['alice.corp'] },
  uriAsDns: { subject: 'CN=x', dns: ['spiffe://corp/alice'] },
  nothing: { usage: 'clientAuth' },
  email: { emails: ['alice@alice.corp'] },
  address: { ips: ['192.0.2.1'] },
  address6: { ips: ['2001:db8::1'] },
};

const certificates = new Map<string, ClientCertificate | undefined>([
  ['none', undefined],
  ...(await Promise.all(Object.entries(shown).map(async ([name, names]) => [name, await ours.issue(names)] as const))),
  ['stranger', await strange.issue(shown.dns)],
  ['strangerUri', await strange.issue(shown.uri)],
  ['strangerSubject', await strange.issue(shown.subject)],
  ['ended', await ours.issue({ ...shown.dns, ends: new Date(Date.now() - 60_000) })],
  ['ofServers', await ours.issue({ ...shown.dns, usage: 'serverAuth' })],
]);
/** Those that no listener verifies. */
const unverified: readonly string[] = ['none', 'stranger', 'strangerUri', 'strangerSubject', 'ended', 'ofServers'];
const everyVerified = [...certificates.keys()].filter((name) => !unverified.includes(name));

const dns = (value: string): ir.CertificateName => ({ kind: 'dns', match: { kind: 'regex', value } });
const names = (...list: readonly ir.CertificateName[]): ir.ClientCertificates => ({ names: list });

/** Each demand, and whose certificates meet it. */
const demands: readonly (readonly [string, ir.ClientCertificates, readonly string[]])[] = [
  ['any certificate', {}, everyVerified],
  ['a DNS name', names(dns('(?i)alice\\.corp')), ['dns', 'capitals']],
  ['DNS names below a domain', names(dns('(?i)[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*\\.alice\\.corp')), ['below']],
  ['a URI', names({ kind: 'uri', match: { kind: 'exact', value: 'spiffe://corp/alice' } }), ['uri']],
  [
    'URIs below a path',
    names({ kind: 'uri', match: { kind: 'regex', value: 'spiffe://corp/alice/[!-~]+' } }),
    ['uriBelow'],
  ],
  [
    'a subject',
    names({ kind: 'subject', match: { kind: 'exact', value: 'CN=alice,O=Corp' } }),
    ['subject', 'subjectAndNames'],
  ],
  ['an email address', names({ kind: 'email', match: { kind: 'exact', value: 'alice@alice.corp' } }), ['email']],
  ['an address', names({ kind: 'ip', match: { kind: 'exact', value: '192.0.2.1' } }), ['address']],
  ['an address of IPv6', names({ kind: 'ip', match: { kind: 'exact', value: '2001:db8::1' } }), ['address6']],
  [
    'one of several names',
    names(dns('(?i)x\\.alice\\.corp'), { kind: 'uri', match: { kind: 'exact', value: 'spiffe://corp/alice' } }),
    ['below', 'uri'],
  ],
];

interface Demands {
  readonly table?: ir.Access & { readonly overridable?: readonly ir.AccessPart[] };
  readonly route?: ir.RouteAccess;
}

const places: readonly (readonly [string, (access: ir.Access) => Demands])[] = [
  ['of the table', (access) => ({ table: access })],
  ['of the table, and may be switched off', (access) => ({ table: { ...access, overridable: ir.accessParts } })],
  ['of the route', (access) => ({ route: { route: access } })],
  ['of the rule', (access) => ({ route: { rule: access } })],
];

type Tried = readonly [string, (typeof places)[number][1], string];

/** One demand everywhere, the others where the table and where a route has it. */
const placesFor = (what: string): readonly Tried[] =>
  places.flatMap(([place, demandsAt], at): Tried[] => {
    if (what === demands[1]?.[0])
      return [exactHost, exactHost.toUpperCase(), lateHost].map((host) => [place, demandsAt, host]);
    return at === 0 || at === 3 ? [[place, demandsAt, at === 0 ? exactHost : lateHost]] : [];
  });

type Clients = 'required' | 'asked' | 'not asked';

const listener = (clients: Clients, client: ir.ClientSettings = {}): ir.Listener => ({
  key,
  transport: 'tcp',
  bind: { address: '127.0.0.1', port: 0 },
  chains: [
    {
      kind: 'http',
      name: 'web',
      table: tableKey,
      client,
      tls: {
        serverNames: [],
        certificates: ['default/server'],
        // All shake hands at once, which may take a slow machine longer than clients get.
        parameters: { handshakeTimeoutMs: 240_000 },
        ...(clients !== 'not asked' && {
          clients: { authorities: ours.certificatePem, required: clients === 'required' },
        }),
      },
    },
  ],
});

function contentOf({ table: demanded, route: access }: Demands, clients: Clients, web: number) {
  const routes = [route('r', '/', access ? { filters: { access } } : {})];
  const guards = demanded && tableGuards(demanded);
  const tableOf = (id: string) => ({
    ...table(id, { exact: [virtualHost(exactHost, routes)], fallback: [virtualHost('*.wild.test', routes)] }),
    ...(guards && { access: guards }),
  });
  return {
    listeners: [listener(clients), httpListener(plain)],
    tables: [tableOf(tableKey), tableOf(plain)],
    secrets: [
      {
        key: 'default/server',
        certificateChain: sensitive(server.certificatePem),
        privateKey: sensitive(server.keyPem),
      },
    ],
    backends: { web },
  };
}

interface World {
  readonly serve: (demands: Demands) => Promise<void>;
  /** The status, or why the handshake failed. */
  readonly ask: (host: string, certificate: string, headers?: Record<string, string>) => Promise<number | string>;
  readonly port: number;
  readonly plainPort: number;
  readonly seen: () => Record<string, unknown>;
}

async function world(t: ExecutionContext, clients: Clients): Promise<World> {
  const web = await startBackend(t);
  const resources = (wanted: Demands): readonly EnvoyResource[] =>
    translateAll(snapshotOf(contentOf(wanted, clients, web.port)));
  const proxy = await startProxy(t, contentOf({}, clients, web.port));
  const port = await proxy.envoy.port(key);
  return {
    port,
    plainPort: await proxy.envoy.port(plain),
    serve: (wanted) => proxy.apply(resources(wanted)),
    seen: () => web.seen.at(-1) ?? {},
    ask: (host, certificate, headers) =>
      askTls(port, { host, certificate: certificates.get(certificate), ...(headers && { headers }) }).then(
        ({ status }) => status,
        (error: Error & { code?: string }) => error.code ?? error.message,
      ),
  };
}

/** Who comes in by what is worked out from the snapshot. */
async function judgedToPass({ table: demanded, route: rule }: Demands): Promise<readonly string[]> {
  const source = { table: demanded ? tableGuards(demanded).demands : [], rule };
  const judged = await Promise.all(
    [...certificates.keys()].map(async (name) => {
      const names = shown[name];
      const certificate = names && { dns: [], uris: [], emails: [], ips: [], subject: '', ...names };
      const request = {
        method: 'GET',
        path: '/',
        header: () => [],
        now: new Date(),
        passwords: new PasswordChecks(),
        ...(certificate && { certificate }),
      };
      const { verdict } = await judgeAccess(source, request);
      return verdict === 'passes' ? [name] : [];
    }),
  );
  return judged.flat();
}

/** Whose requests get 200. */
async function admitted({ ask }: World, host: string, denial: number): Promise<readonly string[]> {
  const answers = await Promise.all(
    [...certificates.keys()].map(async (name) => [name, await ask(host, name)] as const),
  );
  const others = answers.filter(([, status]) => typeof status === 'number' && status !== 200 && status !== denial);
  if (others.length > 0) throw new Error(JSON.stringify(others));
  return answers.filter(([, status]) => status === 200).map(([name]) => name);
}

for (const clients of every(2, ['asked', 'required'] as const)) {
  test(`where certificates are ${clients}, only those come in that are verified and have a demanded name`, async (t) => {
    const proxy = await world(t, clients);
    for (const [what, demanded, fitting] of demands) {
      for (const [place, demandsAt, host] of placesFor(what)) {
        await proxy.serve(demandsAt({ clientCertificates: demanded }));
        t.deepEqual(await admitted(proxy, host, 403), fitting, `${what} ${place}, ${host}`);
        t.deepEqual(
          await judgedToPass(demandsAt({ clientCertificates: demanded })),
          fitting,
          `judged: ${what} ${place}`,
        );
      }
    }
  });
}

thorough(test)('where no certificate is asked for, a demand for one lets no client in', async (t) => {
  const proxy = await world(t, 'not asked');
  t.is(await proxy.ask(exactHost, 'dns'), 200, 'nothing is demanded');
  for (const [what, demanded] of demands) {
    for (const [place, demandsAt, host] of placesFor(what)) {
      await proxy.serve(demandsAt({ clientCertificates: demanded }));
      t.deepEqual(await admitted(proxy, host, 403), [], `${what} ${place}, ${host}`);
      t.is((await send(proxy.plainPort, { host })).status, 403, `${what} ${place}, ${host}, without TLS`);
    }
  }
});

thorough(test)('in rules, certificates are a condition that strangers never meet', async (t) => {
  const proxy = await world(t, 'asked');
  const when = { clientCertificates: names(dns('(?i)alice\\.corp')) };
  const rule = (action: 'Allow' | 'Deny', not?: true): ir.AuthorizationRule => ({
    id: 'default/p/r',
    action,
    when: [{ ...when, ...(not && { not }) }],
  });
  const others = [...certificates.keys()].filter((name) => name !== 'dns' && name !== 'capitals');
  for (const [place, demandsAt] of places) {
    for (const host of [exactHost, lateHost]) {
      await proxy.serve(demandsAt({ authorization: { default: 'Deny', rules: [rule('Allow')] } }));
      t.deepEqual(await admitted(proxy, host, 403), ['dns', 'capitals'], `allow ${place}, ${host}`);
      await proxy.serve(demandsAt({ authorization: { default: 'Allow', rules: [rule('Deny')] } }));
      t.deepEqual(await admitted(proxy, host, 403), others, `deny ${place}, ${host}`);
      await proxy.serve(demandsAt({ authorization: { default: 'Allow', rules: [rule('Deny', true)] } }));
      t.deepEqual(await admitted(proxy, host, 403), ['dns', 'capitals'], `deny others ${place}, ${host}`);
    }
  }
});

const users: ir.BasicAuth = {
  htpasswd: sensitive(`ann:{SHA}${createHash('sha1').update('secret').digest('base64')}\n`),
};
const basic = (password: string) => ({ authorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}` });

thorough(test)(
  'one of several: a verified certificate is enough, and others need what they would need without',
  async (t) => {
    const proxy = await world(t, 'asked');
    const { ask, serve } = proxy;
    const any = { clientCertificates: names(dns('(?i)alice\\.corp')), basicAuth: users };
    for (const [place, demandsAt] of places) {
      await serve(demandsAt({ any }));
      for (const host of [exactHost, lateHost]) {
        t.deepEqual(await admitted(proxy, host, 401), ['dns', 'capitals'], `${place}, ${host}`);
        for (const certificate of ['none', 'uri', 'stranger']) {
          t.is(await ask(host, certificate, basic('secret')), 200, `${place}, ${host}, ${certificate}`);
          t.is(await ask(host, certificate, basic('wrong')), 401, `${place}, ${host}, ${certificate}`);
        }
        t.is(await ask(host, 'dns', basic('wrong')), 200, `${place}, ${host}: the certificate is enough`);
      }
      await serve(demandsAt({ any: { allow: [{ address: '192.0.2.0', prefixLength: 24 }], clientCertificates: {} } }));
      for (const host of [exactHost, lateHost])
        t.deepEqual(await admitted(proxy, host, 403), everyVerified, `${place}, ${host}: an address or a certificate`);
    }
  },
);

thorough(test)('one of several at two levels: the certificate of each level counts for that level', async (t) => {
  const { ask, serve } = await world(t, 'asked');
  const of = (value: string): ir.Access => ({ any: { clientCertificates: names(dns(value)), basicAuth: users } });
  await serve({ table: of('(?i)alice\\.corp'), route: { route: of('(?i)x\\.alice\\.corp'), rule: of('(?i)bob') } });
  for (const host of [exactHost, lateHost]) {
    for (const certificate of ['dns', 'below', 'none']) t.is(await ask(host, certificate), 401, certificate);
    t.is(await ask(host, 'dns', basic('secret')), 200);
  }
});

const forged = { 'x-forwarded-client-cert': 'Hash=0;Subject="CN=boss";DNS=boss.corp' };

for (const clients of every(3, ['required', 'asked', 'not asked'] as const)) {
  test(`where certificates are ${clients}, backends learn of verified ones alone, if that is wanted`, async (t) => {
    const web = await startBackend(t);
    const content = contentOf({}, clients, web.port);
    const withHeader = [listener(clients, { clientCertificateHeader: 'names' }), httpListener(plain)];
    const proxy = await startProxy(t, { ...content, listeners: withHeader });
    const port = await proxy.envoy.port(key);
    const headerFor = async (certificate: string) => {
      await askTls(port, { host: exactHost, certificate: certificates.get(certificate), headers: forged });
      return web.seen.at(-1)?.['x-forwarded-client-cert'];
    };
    const header = await headerFor('subjectAndNames');
    if (clients === 'required') {
      const said = 'Subject="CN=alice,O=Corp";URI=spiffe://corp/other;DNS=other.corp';
      t.is(String(header).replace(/^Hash=[0-9a-f]{64};/, ''), said);
      const whole = [listener(clients, { clientCertificateHeader: 'certificate' }), httpListener(plain)];
      await proxy.apply(translateAll(snapshotOf({ ...content, listeners: whole })));
      const certified = String(await headerFor('subjectAndNames'));
      t.true(certified.endsWith(said), certified);
      const [, pem = ''] = /;Cert="([^"]+)";/.exec(certified) ?? [];
      t.is(new X509Certificate(decodeURIComponent(pem)).subjectAltName, 'DNS:other.corp, URI:spiffe://corp/other');
    } else {
      t.is(header, undefined);
      for (const certificate of ['stranger', 'none']) t.is(await headerFor(certificate), undefined, certificate);
    }
    await proxy.apply(translateAll(snapshotOf(content)));
    t.is(await headerFor('dns'), undefined, 'not wanted any more');
  });
}
