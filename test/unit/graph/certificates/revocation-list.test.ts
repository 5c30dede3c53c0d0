import test from 'ava';
import fc from 'fast-check';
import { derTag, derTime, derValues } from '../../../../src/graph/certificates/der.ts';
import { authoritiesWithout, resolveRevocationLists } from '../../../../src/graph/certificates/index.ts';
import { configMap, secret } from '../../../support/objects.ts';
import { createRevokingAuthority } from '../../../support/revoking-authority.ts';

const ends: (() => unknown)[] = [];
test.after.always(async () => {
  for (const end of ends) await end();
});
const authority = (name: string) => createRevokingAuthority(name, (end) => ends.push(end));

const ref = { kind: 'ConfigMap', namespace: 'default', name: 'revoked' } as const;
const read = (text: string | undefined) => {
  const object = configMap('revoked', text === undefined ? {} : { 'ca.crl': text });
  return resolveRevocationLists(ref, { find: () => object } as never);
};
const faultOf = (text: string | undefined) => {
  const lists = read(text);
  return 'fault' in lists ? lists.fault : undefined;
};
const begin = '-----BEGIN X509 CRL-----';
const end = '-----END X509 CRL-----';
const pem = (der: Uint8Array) => `${begin}\n${Buffer.from(der).toString('base64')}\n${end}\n`;

test('a list says when it ends and whose it is, and goes to proxies as openssl would write it', async (t) => {
  const [ours, other] = [await authority('ours'), await authority('other')];
  const list = await ours.crl({ ends: new Date('2049-12-31T23:59:59Z') });
  const later = await other.crl({ ends: new Date('2060-01-02T03:04:05Z') });
  const lists = read(`subject: x\n${later}\r\n${list.replace(/\n/g, '\r\n')}`);
  if ('fault' in lists) return t.fail(lists.fault);
  t.is(lists.ends?.toISOString(), '2049-12-31T23:59:59.000Z', 'the first end');
  t.is(lists.pem, later + list);
  t.deepEqual(authoritiesWithout(lists, ours.certificatePem + other.certificatePem), []);
  const third = await authority('third');
  t.deepEqual(authoritiesWithout(lists, ours.certificatePem + third.certificatePem), ['CN=third']);
});

test('of a Secret the entry is base64', async (t) => {
  const list = await (await authority('ours')).crl();
  const object = { ...secret('revoked', {}), data: { 'ca.crl': Buffer.from(list).toString('base64') } };
  const lists = resolveRevocationLists({ ...ref, kind: 'Secret' }, { find: () => object } as never);
  t.true('pem' in lists && lists.pem === list);
});

test('what is no list is named with where it is', async (t) => {
  const ours = await authority('ours');
  const list = await ours.crl();
  t.regex(String(faultOf(undefined)), /ConfigMap default\/revoked has no ca\.crl/);
  const noList = /ca\.crl of ConfigMap default\/revoked is not a list/;
  for (const text of ['x', ours.certificatePem, `${begin}\n${end}`, `${begin}\nA*B\n${end}`, list.slice(0, -30)])
    t.regex(String(faultOf(text)), noList, text);
  t.regex(String(faultOf(list + pem(Buffer.from('3003020100', 'hex')))), noList, 'one of two');
  t.regex(String(faultOf(list.repeat(65))), /more than 64 lists/);
  const missing = resolveRevocationLists(ref, { find: () => undefined } as never);
  t.deepEqual(missing, { fault: 'ConfigMap default/revoked does not exist' });
});

test('any bytes are read to an end, and none but a list is one', async (t) => {
  const list = await (await authority('ours')).crl();
  const der = Buffer.from(list.replace(/-----[^-]*-----|\n/g, ''), 'base64');
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => t.not(faultOf(pem(bytes)), undefined)));
  fc.assert(
    fc.property(fc.nat(der.length - 1), fc.nat(255), (at, byte) => {
      const changed = Buffer.from(der);
      changed[at] = byte;
      t.notThrows(() => faultOf(pem(changed)));
    }),
  );
});

test('lengths beyond the end, without end and of many bytes are errors', (t) => {
  for (const hex of ['30', '3005', '3080', '308500000000010000', '30ffffffffff', '30820001'])
    t.throws(() => derValues(Buffer.from(hex, 'hex'), 0, hex.length / 2), { message: 'no DER' }, hex);
  t.deepEqual(derValues(Buffer.from('308100', 'hex'), 0, 3), [{ tag: 0x30, start: 3, end: 3 }]);
});

test('times are those of RFC 5280 alone', (t) => {
  const timeOf = (tag: number, text: string) =>
    derTime(Buffer.from(text), { tag, start: 0, end: text.length })?.toISOString();
  t.is(timeOf(derTag.utcTime, '491231235959Z'), '2049-12-31T23:59:59.000Z');
  t.is(timeOf(derTag.utcTime, '500101000000Z'), '1950-01-01T00:00:00.000Z');
  t.is(timeOf(derTag.generalizedTime, '20500101000000Z'), '2050-01-01T00:00:00.000Z');
  for (const text of ['4912312359Z', '491231235959+0000', '491331235959Z', '20500101000000Z', ''])
    t.is(timeOf(derTag.utcTime, text), undefined, text);
});
