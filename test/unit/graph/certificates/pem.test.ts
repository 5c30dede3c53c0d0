import test from 'ava';
import fc from 'fast-check';
import { checkCertificate } from '../../../../src/graph/certificates/certificate.ts';
import { certificateBlocks, largestKey, longestChain } from '../../../../src/graph/certificates/pem.ts';
import { secret } from '../../../support/objects.ts';
import { oddButGood } from '../../../support/odd-certificates.ts';

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

test('the blocks of any text are those that an expression finds', (t) => {
  const pieces = fc.array(fc.constantFrom(begin, end, '\n', 'AAAA', '-----', 'text')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(pieces, (text) => {
      const expected = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
      t.deepEqual(certificateBlocks(text, 1_000), [...expected]);
    }),
  );
});

test('no more blocks are looked for than say that there are too many', (t) => {
  t.is(certificateBlocks(`${begin}${end}`.repeat(20), 5).length, 6);
});

test('a chain of 1 MiB, beginnings without ends, and a key that is no key are rejected with what is wrong', async (t) => {
  const { certificate = '', key = '' } = Object.values(await oddButGood())[0] ?? {};
  const [one = ''] = certificateBlocks(certificate, 1);
  const faultOf = (crt: string, ofKey = key) => {
    const check = checkCertificate(secret('c', { 'tls.crt': crt, 'tls.key': ofKey }));
    return 'fault' in check ? check.fault : 'none';
  };
  t.is(faultOf(`${one}\n`.repeat(longestChain)), 'none');
  t.regex(faultOf(`${one}\n`.repeat(longestChain + 1)), /has more than 64 certificates/);
  t.regex(faultOf(`${begin}\n`.repeat(40_000)), /is not a PEM certificate/);
  t.regex(faultOf(one, 'x'.repeat(largestKey + 1)), /is larger than 65536 bytes/);
});
