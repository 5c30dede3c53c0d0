import test from 'ava';
import { checkCertificate } from '../../../../src/graph/certificates/certificate.ts';
import { secret } from '../../../support/objects.ts';
import { fingerprintOf, oddButGood, unusable } from '../../../support/odd-certificates.ts';

/** One block, and neither text around it nor parameters before it. */
const oneKey = /^-----BEGIN (?<type>[A-Z ]*PRIVATE KEY)-----\n[A-Za-z0-9+/=\n]+-----END \k<type>-----\n$/;

test('a pair that cannot be served is distinguished from the others, with the reason', async (t) => {
  for (const [name, { certificate, key, says }] of Object.entries(await unusable())) {
    const check = checkCertificate(secret('c', { 'tls.crt': certificate, 'tls.key': key }));
    t.regex('fault' in check ? check.fault : 'no fault', says, name);
  }
});

test('a pair in an odd spelling is written again, and is the same pair', async (t) => {
  for (const [name, { certificate, key }] of Object.entries(await oddButGood())) {
    const check = checkCertificate(secret('c', { 'tls.crt': certificate, 'tls.key': key }));
    if ('fault' in check) t.fail(`${name}: ${check.fault}`);
    else {
      const written = Buffer.from(check.secret.certificateChain.reveal()).toString();
      t.is(fingerprintOf(written), fingerprintOf(certificate), name);
      t.regex(written, /^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n/, name);
      t.regex(Buffer.from(check.secret.privateKey.reveal()).toString(), oneKey, name);
    }
  }
});
