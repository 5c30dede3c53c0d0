import test from 'ava';
import { filteredHosts, filteredRoute, httpFilter, secretObject } from '../support/http-filters.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { startTrafficWorld, type TrafficWorld } from '../support/traffic-world.ts';

/* A tenant whose HTTPFilters name Secrets that are not meant for them, and a stranger who wants a backend's credential or brings another. */

const credential = 'secret-of-the-backend';
const allSeen = ({ web, log }: TrafficWorld): string => JSON.stringify([web.seen, log]);

test('a tenant’s filter gets no Secret that is not meant for it: its rule answers 500, and no backend sees anything of it', async (t) => {
  const world = await startTrafficWorld(t);
  const inject = (secretRef: object, more: object = {}) => ({ credentialInjection: { secretRef, ...more } });
  const filters = {
    'a key of TLS': inject({ name: 'own', key: 'tls.key' }),
    'an entry without the label': inject({ name: 'own', key: 'token' }),
    'a name of all objects': inject({ name: 'labelled', key: 'constructor' }),
    'another namespace': inject({ name: 'theirs', namespace: 'other' }),
    'a grant for another name': inject({ name: 'theirs', namespace: 'granting' }),
    'a path for a name': inject({ name: '../other/theirs' }),
    'a line break': inject({ name: 'broken' }),
    'a header of the proxy': inject({ name: 'good' }, { header: 'x-gw-scope' }),
    Host: inject({ name: 'good' }, { header: 'Host' }),
    'the length': inject({ name: 'good' }, { header: 'Content-Length' }),
  };
  const named = Object.entries(filters).map(([what, spec], index) => ({ what, name: `f${index}`, spec }));
  const secrets = [
    secretObject('own', { 'tls.key': credential, token: credential }),
    secretObject('labelled', { token: credential }, { labels: { 'gatewright.dev/credentials': 'true' } }),
    secretObject('theirs', { credential }, { namespace: 'other' }),
    secretObject('theirs', { credential }, { namespace: 'granting' }),
    secretObject('broken', { credential: `${credential}\r\nx-forged: yes` }),
    secretObject('good', { credential }),
    {
      apiVersion: 'gateway.networking.k8s.io/v1beta1',
      kind: 'ReferenceGrant',
      metadata: { name: 'for-another', namespace: 'granting' },
      spec: {
        from: [{ group: 'gatewright.dev', kind: 'HTTPFilter', namespace: 'default' }],
        to: [{ group: '', kind: 'Secret', name: 'another' }],
      },
    },
  ];
  await world.rule(
    ...secrets,
    ...named.map(({ name, spec }) => httpFilter(name, spec)),
    filteredRoute(Object.fromEntries(named.map(({ name }) => [`/${name}`, [name]]))),
  );
  for (const host of filteredHosts) {
    for (const { what, name } of named) t.is((await world.ask(host, { path: `/${name}` })).status, 500, what);
    t.is((await world.ask(host)).status, 200, host);
  }
  t.false(allSeen(world).includes(credential));
});

test('a grant for a Secret of another namespace is for it alone, and ends with it', async (t) => {
  const world = await startTrafficWorld(t);
  const theirs = secretObject('theirs', { credential }, { namespace: 'other' });
  const filter = httpFilter('f', { credentialInjection: { secretRef: { name: 'theirs', namespace: 'other' } } });
  const route = filteredRoute({ '/f': ['f'] });
  const grant = (name: string) => ({
    apiVersion: 'gateway.networking.k8s.io/v1beta1',
    kind: 'ReferenceGrant',
    metadata: { name: 'for-shop', namespace: 'other' },
    spec: {
      from: [{ group: 'gatewright.dev', kind: 'HTTPFilter', namespace: 'default' }],
      to: [{ group: '', kind: 'Secret', name }],
    },
  });
  const statusOf = async (host: string) => (await world.ask(host, { path: '/f' })).status;
  await world.rule(theirs, filter, route, grant('theirs'));
  for (const host of filteredHosts) {
    t.is(await statusOf(host), 200, host);
    t.is(world.web.seen.at(-1)?.authorization, credential);
  }
  await world.rule(theirs, filter, route, grant('another'));
  for (const host of filteredHosts) t.is(await statusOf(host), 500, host);
});

test('no stranger reads the credential of a backend or brings one of their own, however the header is written', async (t) => {
  const world = await startTrafficWorld(t, (_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  });
  const value = '%REQ(Authorization)%';
  await world.rule(
    secretObject('good', { credential }),
    httpFilter('inject', { credentialInjection: { secretRef: { name: 'good' } } }),
    httpFilter('asks', { headers: { request: { set: [{ name: 'x-copy', value }] } } }),
    httpFilter('shows', { headers: { response: { set: [{ name: 'x-copy', value: `a ${value}` }] } } }),
    filteredRoute({ '/in': ['inject', 'asks'], '/shown': ['inject', 'shows'], '/shown-first': ['shows', 'inject'] }),
  );
  const forged = [
    ['Authorization: forged'],
    ['authorization: forged', 'AUTHORIZATION: forged-2'],
    ['Authorization: forged, forged-2'],
    ['Authorization:forged', 'Connection: authorization'],
    ['Authorization:'],
    [],
  ];
  for (const host of filteredHosts) {
    for (const lines of forged) {
      const { status, text } = await exchange(world.port, rawRequest('/in', [`Host: ${host}`, ...lines]));
      t.is(status, 401, lines.join());
      t.false(text.includes(credential));
      const seen = world.web.seen.at(-1);
      t.is(seen?.authorization, credential, lines.join());
      t.false(seen?.['x-copy']?.includes(credential) ?? false, 'what the rule itself reads is the client’s');
    }
    for (const path of ['/shown', '/shown-first']) {
      const { status, text } = await exchange(world.port, rawRequest(path, [`Host: ${host}`]));
      t.is(status, 500);
      t.false(text.includes(credential));
    }
  }
  const { layout1, layout2 } = world.control.ports;
  const asked = [
    [layout1, '/v1/snapshot'],
    [layout1, '/v1/routes'],
    [layout1, '/v1/routes/HTTPRoute/default/filtered'],
    [layout1, '/v1/backends'],
    [layout1, '/v1/resources?kind=Secret'],
    [layout2, '/api/v1/config/snapshot'],
    [layout2, '/api/v1/backends'],
  ] as const;
  for (const [port, path] of asked) {
    const text = JSON.stringify(await world.json(port, path));
    for (const form of [credential, Buffer.from(credential).toString('base64')]) t.false(text.includes(form), path);
  }
  await world.stop();
  t.false(JSON.stringify(world.log).includes(credential));
});
