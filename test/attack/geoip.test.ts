import test from 'ava';
import { mmdb } from '../../scripts/example/mmdb.ts';
import { databaseFaultsMetadata, databaseFaultsType } from '../../src/contracts/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import type { DataPlaneStatus } from '../../src/gateway-api/index.ts';
import { geoDatabases, inFrance, inGermany, nowhere, startGeo } from '../support/geo-world.ts';
import { DeltaClient } from '../support/grpc.ts';
import { thorough } from '../support/repetitions.ts';
import { until, untilFits } from '../support/until.ts';

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

thorough(test)(
  'with a database of another sort, or none, no client gets past rules by location, and other routes serve',
  async (t) => {
    t.timeout(patient);
    // Of networks, where one of countries is to be: it would have no client come from a country that is denied.
    const location = mmdb({ '198.51.100.0/24': { autonomous_system_number: 64_500 } });
    const { statusOf } = await startGeo(t, { location });
    await until('the routes', async () => (await statusOf('open.test', nowhere).catch(() => 0)) === 200 || undefined);
    for (const host of ['country.test', 'late.wild.test', 'denied.test', 'city.test', 'network.test'])
      for (const from of [inGermany, inFrance, nowhere])
        t.is(await statusOf(host, from, forged), 403, `${host} ${from}`);
  },
);

thorough(test)(
  'an agent that lies about its databases writes nothing that moves a cursor, and changes no answer',
  async (t) => {
    t.timeout(patient);
    const { statusOf, control } = await startGeo(t, geoDatabases);
    await until(
      'the routes',
      async () => (await statusOf('denied.test', inGermany).catch(() => 0)) === 200 || undefined,
    );
    const said = () =>
      (control.graph.statusOf('DataPlane', 'default/edge') as DataPlaneStatus | undefined)?.conditions.find(
        ({ type }) => type === 'Degraded',
      )?.message;
    t.is(said(), undefined);
    const faults = (message: string) => JSON.stringify([{ database: 'location', message }]);
    const liar = new DeltaClient({
      target: control.ports.xds,
      nodeId: 'liar',
      cluster: 'default/edge',
      metadata: { [databaseFaultsMetadata]: faults(`\u001b[2J\u202e${'x'.repeat(1500)}`) },
    });
    t.teardown(() => liar.close());
    liar.subscribe(typeUrls.cluster);
    const shown = await untilFits('the lie', said, (message) => message !== undefined);
    t.regex(shown ?? '', /^proxy liar cannot use a database: \?\[2J\?x+ \(Gateway default\/edge\)$/);
    t.true((shown ?? '').length < 1200);
    for (const message of ['{', '[]'.repeat(20_000), '[{"database":"weather","message":"rain"}]']) {
      liar.send({ typeUrl: databaseFaultsType, errorDetail: { code: 0, message: faults('again') } });
      await untilFits('another lie', said, (text) => text?.includes('again') === true);
      liar.send({ typeUrl: databaseFaultsType, errorDetail: { code: 0, message } });
      await untilFits('what cannot be read to count as nothing', said, (text) => text === undefined);
    }
    t.is(await statusOf('denied.test', inGermany), 200);
    t.is(await statusOf('denied.test', inFrance), 403);
  },
);
