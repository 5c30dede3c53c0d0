import { writeFileSync } from 'node:fs';
import test from 'ava';
import { mmdb } from '../../scripts/example/mmdb.ts';
import { geoDatabases, inFrance, inGermany, nowhere, startGeo } from '../support/geo-world.ts';
import { thorough } from '../support/repetitions.ts';
import { until, untilFits } from '../support/until.ts';

/** Rules and headers by where clients are, with a real agent and Envoy. */

const patient = 240_000;

test('rules by country, city and network let in whom they name, on exact hosts and on others', async (t) => {
  t.timeout(patient);
  const { ask, statusOf } = await startGeo(t, geoDatabases);
  const open = await until('a header with the country', async () => {
    const { seen } = await ask('open.test', inGermany).catch(() => ({ seen: {} as Record<string, string> }));
    return seen['x-country'] === 'DE' ? seen : undefined;
  });
  t.is(open['x-region'], 'BY');
  t.is(open['x-asn'], '64500');
  t.is(open['x-organization'], 'Example');
  t.truthy(open['x-city']);
  t.deepEqual(
    Object.keys(open).filter((name) => name.startsWith('x-gw-')),
    [],
  );
  for (const host of ['country.test', 'late.wild.test', 'city.test', 'network.test']) {
    t.is(await statusOf(host, inGermany), 200, host);
    t.is(await statusOf(host, inFrance), 403, host);
    t.is(await statusOf(host, nowhere), 403, host);
  }
  t.is(await statusOf('denied.test', inFrance), 403);
  t.is(await statusOf('denied.test', inGermany), 200);
  t.is(await statusOf('denied.test', nowhere), 200);
  t.is(await statusOf('country.test', '2001:db8:1::7'), 200);
  t.is(await statusOf('country.test', '2001:db8:2::7'), 403);
  const unknown = await ask('open.test', nowhere, { 'X-Country': 'DE', 'x-gw-geo-country': 'DE' });
  t.is(unknown.seen['x-country'], undefined);
});

thorough(test)('a database that is missing, and then there, and then broken, and then another one', async (t) => {
  t.timeout(patient);
  const { statusOf, replace, json, agentPort, paths } = await startGeo(t, { asn: geoDatabases.asn });
  const faults = async () => {
    const { body } = await json(agentPort, '/api/v1/status');
    return (body as { readonly faults: readonly { readonly reason: string; readonly message: string }[] }).faults
      .filter(({ reason }) => reason === 'geoip_unusable')
      .map(({ message }) => message);
  };
  await until('the routes', async () => (await statusOf('open.test', nowhere).catch(() => 0)) === 200 || undefined);
  // Rules that deny by country deny all, as nothing says where clients are; those by network are as ever.
  for (const host of ['country.test', 'late.wild.test', 'denied.test', 'city.test'])
    t.is(await statusOf(host, inGermany), 403, host);
  t.is(await statusOf('network.test', inGermany), 200);
  const [missing] = await faults();
  t.regex(missing ?? '', /^location database .*city\.mmdb does not exist.*geoip\.databases\.location.*denied/);

  replace('location', geoDatabases.location);
  await until('the database', async () => (await statusOf('country.test', inGermany)) === 200 || undefined);
  t.is(await statusOf('denied.test', nowhere), 200);
  // Envoy may read the database before the agent has tidied up behind it.
  t.deepEqual(await untilFits('no fault', faults, (all) => all.length === 0), []);

  writeFileSync(paths.location, geoDatabases.location.subarray(0, 100));
  const broken = await until('a broken database to be noticed', async () => (await faults())[0]);
  t.regex(broken, /is no database in MaxMind's format, or not all of one.*the one before stays in use/);
  t.is(await statusOf('country.test', inGermany), 200);

  replace('location', mmdb({ '198.51.100.0/24': { country: { iso_code: 'FR' } } }));
  await until('the new database', async () => (await statusOf('country.test', inGermany)) === 403 || undefined);
  t.is(await statusOf('denied.test', inGermany), 403);
  t.is(await statusOf('denied.test', inFrance), 200);
});

thorough(test)(
  'a Gateway whose proxies have no database lets no request in where rules are by location, and says so',
  async (t) => {
    t.timeout(patient);
    const { statusOf, write, gatewayObjects } = await startGeo(t, geoDatabases);
    await until(
      'the routes',
      async () => (await statusOf('denied.test', inGermany).catch(() => 0)) === 200 || undefined,
    );
    write('gateway.yaml', ...gatewayObjects);
    await until('routes to be closed', async () => (await statusOf('denied.test', inGermany)) === 403 || undefined);
    t.is(await statusOf('open.test', inGermany), 200);
  },
);
