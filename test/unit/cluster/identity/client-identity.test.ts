import test from 'ava';
import fc from 'fast-check';
import { admitCertificate, certificateFault } from '../../../../src/cluster/identity/client-identity.ts';
import { gatewayOfSpiffeId } from '../../../../src/cluster/identity/spiffe-id.ts';
import { AdmissionError } from '../../../../src/xds/index.ts';
import { repetitions } from '../../../support/repetitions.ts';

const verified = (subjectAltName: string) => ({ state: 'verified', subject: 'CN=proxy', subjectAltName }) as const;
const claim = (cluster: string) => ({ nodeId: 'n', cluster });

test('a certificate that names a Gateway is for nodes of that Gateway', (t) => {
  const { subject, rejects } = admitCertificate(verified('DNS:a.test, URI:spiffe://cluster.local/gateway/shop/edge'));
  t.is(subject, 'spiffe://cluster.local/gateway/shop/edge');
  t.is(rejects(claim('shop/edge')), undefined);
  t.regex(rejects(claim('shop/other')) ?? '', /shop\/other is not the Gateway of the client certificate.*shop\/edge/);
});

test('a certificate of shared proxies names their class', (t) => {
  const { rejects } = admitCertificate(verified('URI:spiffe://a/gateway/infra/class:shared'));
  t.is(rejects(claim('infra/class:shared')), undefined);
  t.not(rejects(claim('infra/shared')), undefined);
});

test('one without a URI is for any Gateway', (t) => {
  for (const names of ['', 'DNS:proxy.test', 'IP Address:10.0.0.1, email:a@b.test', 'DNS:"a, URI:spiffe://a/x"']) {
    t.is(admitCertificate(verified(names)).rejects(claim('any/gateway')), undefined, names);
  }
});

const b = 'spiffe://t/gateway/secretns/b';
const odd = [
  'URI:spiffe://cluster.local/ns/shop/sa/default',
  'URI:spiffe://cluster.local/gateway/shop',
  'URI:spiffe://cluster.local/gateway/shop/edge/more',
  'URI:SPIFFE://cluster.local/other',
  'URI:https://example.com/gateway/shop/edge',
  // What stands in quotes is one value, whatever it looks like.
  'URI:"spiffe://a/x, URI:spiffe://a/gateway/shop/edge"',
  'URI:spiffe://t/gateway/default/../secretns/b',
  'URI:spiffe://t/gateway/default/%2e%2e/secretns/b',
  `URI:${b}#default/a`,
  `URI:${b}?x`,
  `URI:${b}/`,
  `URI:${b}.`,
  'URI:spiffe://t/gateway//b',
  'URI:spiffe://t//gateway/secretns/b',
  'URI:spiffe://t/./gateway/secretns/b',
  'URI:spiffe://user@t/gateway/secretns/b',
  'URI:spiffe://t:443/gateway/secretns/b',
  'URI:spiffe:///gateway/secretns/b',
  'URI:spiffe:/t/gateway/secretns/b',
  'URI:spiffe://T/gateway/secretns/b',
  'URI:Spiffe://t/gateway/secretns/b',
  'URI:spiffe://t/gateway/SecretNS/b',
  'URI: spiffe://t/gateway/secretns/b',
  'URI:"\\u0009spiffe://t/gateway/secretns/b"',
  'URI:"spiffe://t/gateway/secretns/b\\u0000"',
  'URI:"spiffe://t/gateway/secretns/b\\n"',
  'URI:spiffe:\\\\t\\gateway\\secretns\\b',
  `URI:spiffe://t/gateway/secretns/${'b'.repeat(2100)}`,
  `URI:spiffe://t/gateway/secretns/${'b'.repeat(64)}`,
  `URI:spiffe://t/gateway/secretns/${'b.'.repeat(127)}b`,
  // One certificate, one identity.
  `URI:spiffe://t/gateway/default/a, URI:${b}`,
  `URI:${b}, URI:${b}`,
  `URI:https://a.test/, URI:${b}`,
  // What cannot be read to its end.
  `DNS:a", URI:${b}`,
  `DNS:"a, URI:${b}`,
  `URI:${b},URI:x`,
  `URI:${b}, `,
  `, URI:${b}`,
];
for (const names of odd) {
  test(`the identity of something else is rejected: ${names.slice(0, 120)} (${names.length})`, (t) => {
    const error = t.throws(() => admitCertificate(verified(names)), {
      instanceOf: AdmissionError,
      code: 'unauthenticated',
    });
    t.regex(error.message, /^[ -~]{1,500}$/);
  });
}

const piece = fc.constantFrom(
  '..',
  '.',
  '',
  '%2e',
  '%2f',
  '#',
  '?',
  '/',
  '@',
  ':',
  '\\',
  ' ',
  'gateway',
  'secretns',
  'b',
  'class:',
  'A',
  'é',
  ';',
  ',',
);

test('an identity has one writing: whatever is taken is that text and no other', (t) => {
  const texts = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.array(piece).map((parts) => `spiffe://t/${parts.join('/')}`),
    fc.array(piece).map((parts) => `${b}${parts.join('')}`),
  );
  const property = fc.property(texts, (text) => {
    const gateway = gatewayOfSpiffeId(text);
    return gateway === undefined || /^spiffe:\/\/[a-z0-9._-]+$/.test(text.slice(0, -`/gateway/${gateway}`.length));
  });
  t.notThrows(() => fc.assert(property, { numRuns: repetitions({ few: 1_000, all: 5_000 }) }));
});

test('names of Kubernetes that an authority signs are taken, as exactly that Gateway', (t) => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
  const property = fc.property(label, label, label, (trust, namespace, name) => {
    const { rejects } = admitCertificate(verified(`URI:spiffe://${trust}/gateway/${namespace}/${name}`));
    return (
      rejects(claim(`${namespace}/${name}`)) === undefined && rejects(claim(`${name}x/${namespace}`)) !== undefined
    );
  });
  t.notThrows(() => fc.assert(property));
});

test('why a certificate is not trusted is said in words', (t) => {
  const fault = (reason: string) => certificateFault({ state: 'rejected', subject: 'CN=x', reason }).message;
  t.is(fault('CERT_HAS_EXPIRED'), 'the client certificate CN=x is rejected: it has expired');
  t.regex(fault('DEPTH_ZERO_SELF_SIGNED_CERT'), /unknown authority/);
  t.regex(fault('SOMETHING_NEW'), /SOMETHING_NEW/);
});
