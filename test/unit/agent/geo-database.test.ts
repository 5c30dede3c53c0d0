import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { mmdb } from '../../../scripts/example/mmdb.ts';
import { databaseFault } from '../../../src/agent/geoip/check-database.ts';
import { placeholder } from '../../../src/agent/geoip/placeholder.ts';

function faultOf(t: ExecutionContext, content: Uint8Array, database: 'location' | 'asn' = 'location') {
  const folder = mkdtempSync(join(tmpdir(), 'geo-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'some.mmdb');
  writeFileSync(path, content);
  return databaseFault(path, database);
}

const places = mmdb({
  '198.51.100.0/24': { country: { iso_code: 'DE' } },
  '2001:db8::/32': { continent: { code: 'EU' } },
});
const networks = mmdb({ '198.51.100.0/24': { autonomous_system_number: 64_500 } });

test('databases of each record size, and placeholders, can be used', (t) => {
  for (const recordBits of [24, 28, 32] as const)
    t.is(faultOf(t, mmdb({ '192.0.2.0/24': { country: { iso_code: 'FR' } } }, { recordBits })), undefined);
  t.is(faultOf(t, places), undefined);
  t.is(faultOf(t, networks, 'asn'), undefined);
  for (const database of ['location', 'asn'] as const) t.is(faultOf(t, placeholder(database), database), undefined);
});

test('a database of another sort is none of places', (t) => {
  t.regex(faultOf(t, networks) ?? '', /says the country \(country\.iso_code\) of no address/);
  t.regex(faultOf(t, places, 'asn') ?? '', /says the autonomous system .* of no address/);
});

test('whatever is cut off a database, or written into its metadata, is found or does no harm', (t) => {
  for (let length = 0; length < places.length; length += 7)
    t.is(typeof faultOf(t, places.subarray(0, length)), 'string', `${length} bytes`);
  const start = places.lastIndexOf('MaxMind.com');
  for (let at = start; at < places.length; at += 1) {
    const changed = Buffer.from(places);
    changed[at] = 0xff;
    t.notThrows(() => faultOf(t, changed), `byte ${at}`);
  }
});

test('a text is no database', (t) => {
  t.regex(faultOf(t, Buffer.from('key: secret')) ?? '', /^is no database in MaxMind's format, or not all of one$/);
});
