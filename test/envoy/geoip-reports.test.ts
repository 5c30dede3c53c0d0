import { writeFileSync } from 'node:fs';
import test from 'ava';
import type { Condition, DataPlaneStatus, PolicyStatus } from '../../src/gateway-api/index.ts';
import { runCommand } from '../support/command.ts';
import { geoDatabases, inGermany, nowhere, startGeo } from '../support/geo-world.ts';
import { until, untilFits } from '../support/until.ts';

/* What a proxy cannot use of databases of places is said where people look. */

test('a database that a proxy cannot use is a condition and a problem until it is corrected, and rules stay closed', async (t) => {
  t.timeout(240_000);
  const { statusOf, replace, paths, control, json } = await startGeo(t, { asn: geoDatabases.asn });
  const { graph, ports } = control;
  const conditionsOf = (name: string): readonly Condition[] =>
    (graph.statusOf('AccessPolicy', `default/${name}`) as PolicyStatus | undefined)?.ancestors[0]?.conditions ?? [];
  const ofDataPlane = (): readonly Condition[] =>
    (graph.statusOf('DataPlane', 'default/edge') as DataPlaneStatus | undefined)?.conditions ?? [];
  const degraded = (conditions: readonly Condition[]) => conditions.find(({ type }) => type === 'Degraded');
  const problems = async () => {
    const { body } = await json(ports.layout1, '/v1/problems');
    const { items } = body as { items: { object: { kind: string; name: string }; message: string; count: number }[] };
    return items
      .filter(({ message }) => message.startsWith('DatabaseUnusable: '))
      .map(({ object: { kind }, count }) => `${kind} ${count}`)
      .sort();
  };
  const status = async () => await runCommand(['status'], { GATEWRIGHT_SERVER: `http://127.0.0.1:${ports.layout1}` });

  const missing = await untilFits('the missing database', () => degraded(conditionsOf('country')), Boolean);
  t.like(missing, { status: 'True', reason: 'DatabaseUnusable' });
  t.regex(
    missing?.message ?? '',
    /clientLocations: proxy \S+ cannot use a database: location database .*city\.mmdb does not exist.*geoip\.databases\.location.*denied/,
  );
  t.regex(degraded(ofDataPlane())?.message ?? '', /city\.mmdb does not exist.*\(Gateway default\/edge\)/);
  t.is(degraded(conditionsOf('network')), undefined, 'its database is whole');
  const affected = ['AccessPolicy 3', 'DataPlane 1'];
  t.deepEqual(await untilFits('the problems', problems, (all) => all.join() === affected.join()), affected);
  const shown = await status();
  t.is(shown.code, 1);
  t.regex(shown.stdout, /DatabaseUnusable[\s\S]*city\.mmdb does not exist/);
  await until('the routes', async () => (await statusOf('open.test', nowhere).catch(() => 0)) === 200 || undefined);
  t.is(await statusOf('denied.test', inGermany), 403);

  replace('location', geoDatabases.location);
  await untilFits(
    'the database to be taken',
    () => degraded(conditionsOf('country')),
    (left) => left === undefined,
  );
  t.is(degraded(ofDataPlane()), undefined);
  t.deepEqual(await untilFits('no problem', problems, (all) => all.length === 0), []);
  await until('the database', async () => (await statusOf('denied.test', inGermany)) === 200 || undefined);

  writeFileSync(paths.location, geoDatabases.location.subarray(0, 100));
  const broken = await untilFits('the broken database', () => degraded(conditionsOf('country')), Boolean);
  t.regex(broken?.message ?? '', /is no database in MaxMind's format, or not all of one.*the one before stays in use/);
  t.is(await statusOf('denied.test', inGermany), 200);

  replace('location', geoDatabases.location);
  await untilFits(
    'the corrected database',
    () => degraded(conditionsOf('country')),
    (left) => left === undefined,
  );
});
