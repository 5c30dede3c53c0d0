import test from 'ava';
import { SharedSecureContext } from '../../../../src/kube/transport/secure-context.ts';
import { testCertificates } from '../../../support/certificates.ts';

const [former, renewed] = testCertificates;
const optionsOf = ({ certificate, key }: typeof former) => ({ ca: certificate, cert: certificate, key });

test('connections share what was read of certificates until one of them is another', (t) => {
  const shared = new SharedSecureContext();
  const first = shared.of(optionsOf(former));
  t.is(shared.of(optionsOf(former)), first);
  const rotated = shared.of(optionsOf(renewed));
  t.not(rotated, first);
  t.is(shared.of(optionsOf(renewed)), rotated);
  t.not(shared.of({ ...optionsOf(renewed), ca: former.certificate }), rotated, 'the authority alone changed');
});
