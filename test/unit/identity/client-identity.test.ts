import test from 'ava';
import { admitCertificate, certificateFault } from '../../../src/identity/client-identity.ts';
import { AdmissionError } from '../../../src/xds/index.ts';

const verified = (subjectAltName: string) => ({ state: 'verified', subject: 'CN=proxy', subjectAltName }) as const;
const claim = (cluster: string) => ({ nodeId: 'n', cluster });

test('a certificate that names a Gateway is for nodes of that Gateway', (t) => {
  const { subject, refuses } = admitCertificate(verified('DNS:a.test, URI:spiffe://cluster.local/gateway/shop/edge'));
  t.is(subject, 'spiffe://cluster.local/gateway/shop/edge');
  t.is(refuses(claim('shop/edge')), undefined);
  t.regex(refuses(claim('shop/other')) ?? '', /shop\/other is not the Gateway of the client certificate.*shop\/edge/);
});

test('one that names several is for each of them', (t) => {
  const { refuses } = admitCertificate(verified('URI:spiffe://a/gateway/shop/one, URI:spiffe://a/gateway/shop/two'));
  t.is(refuses(claim('shop/one')), undefined);
  t.is(refuses(claim('shop/two')), undefined);
  t.not(refuses(claim('shop/three')), undefined);
});

test('one without an identity is for any Gateway', (t) => {
  for (const names of ['', 'DNS:proxy.test', 'URI:https://example.com/gateway/shop/edge']) {
    t.is(admitCertificate(verified(names)).refuses(claim('any/gateway')), undefined, names);
  }
});

const odd = [
  'URI:spiffe://cluster.local/ns/shop/sa/default',
  'URI:spiffe://cluster.local/gateway/shop',
  'URI:spiffe://cluster.local/gateway/shop/edge/more',
  'URI:SPIFFE://cluster.local/other',
  // What stands in quotes is one value, whatever it looks like.
  'URI:"spiffe://a/x, URI:spiffe://a/gateway/shop/edge"',
];
for (const names of odd) {
  test(`the identity of something else is refused: ${names}`, (t) => {
    t.throws(() => admitCertificate(verified(names)), { instanceOf: AdmissionError, code: 'unauthenticated' });
  });
}

test('why a certificate is not trusted is said in words', (t) => {
  const fault = (reason: string) => certificateFault({ state: 'refused', subject: 'CN=x', reason }).message;
  t.is(fault('CERT_HAS_EXPIRED'), 'the client certificate CN=x is refused: it has expired');
  t.regex(fault('DEPTH_ZERO_SELF_SIGNED_CERT'), /unknown authority/);
  t.regex(fault('SOMETHING_NEW'), /SOMETHING_NEW/);
});
