import test from 'ava';
import { mmdb } from '../../scripts/example/mmdb.ts';
import { geoDatabases, inFrance, inGermany, nowhere, startGeo } from '../support/geo-world.ts';
import { until } from '../support/until.ts';

/** A client that wants to be taken for one of another country. */

const patient = 240_000;
const forged = {
  'X-Country': 'DE',
  'x-region': 'BY',
  'x-city': 'Bonn',
  'x-asn': '64500',
  'x-organization': 'Example',
  'x-gw-geo-country': 'DE',
  'x-gw-geo-asn': '64500',
};

test('a client that writes the headers of a country itself is let in nowhere, and backends do not see them', async (t) => {
  t.timeout(patient);
  const { ask, statusOf } = await startGeo(t, geoDatabases);
  await until(
    'the routes',
    async () => (await statusOf('country.test', inGermany).catch(() => 0)) === 200 || undefined,
  );
  for (const host of ['country.test', 'late.wild.test', 'city.test', 'network.test']) {
    t.is(await statusOf(host, nowhere, forged), 403, host);
    t.is(await statusOf(host, inFrance, forged), 403, host);
  }
  const { seen } = await ask('open.test', nowhere, forged);
  for (const name of Object.keys(forged)) t.is(seen[name.toLowerCase()], undefined, name);
});

test('with a database of another sort, or none, no client gets past rules by location, and other routes serve', async (t) => {
  t.timeout(patient);
  // Of networks, where one of countries is to be: it would have no client come from a country that is denied.
  const location = mmdb({ '198.51.100.0/24': { autonomous_system_number: 64_500 } });
  const { statusOf } = await startGeo(t, { location });
  await until('the routes', async () => (await statusOf('open.test', nowhere).catch(() => 0)) === 200 || undefined);
  for (const host of ['country.test', 'late.wild.test', 'denied.test', 'city.test', 'network.test'])
    for (const from of [inGermany, inFrance, nowhere]) t.is(await statusOf(host, from, forged), 403, `${host} ${from}`);
});
