import test from 'ava';
import { apr1 } from '../../../src/passwords/apr1.ts';
import { bcryptCost, hashFormat } from '../../../src/passwords/hash-format.ts';
import { isRight } from '../../../src/passwords/is-right.ts';
import { htpasswdLines } from '../../support/htpasswd.ts';

const bytes = (text: string) => Buffer.from(text);

/** Source: `htpasswd` of apache2-utils 2.4, and `openssl passwd -apr1`. */
const vectors = {
  bcrypt: [htpasswdLines.ann.hash, 'secret'],
  'bcrypt of a text in UTF-8': [htpasswdLines.jörg.hash, 'pässwörd'],
  'bcrypt of 72 bytes': ['$2y$04$AJLAdlFzL.pQOiA8Jf.lzu2mLTB3/.sjhNB2F6ZdfYWh7n4CURWpq', 'a'.repeat(72)],
  'bcrypt of 80 bytes': ['$2y$04$gcfy.rtnGuYQTHPWPFNTauPvg8r0/LjVpvlKbXbuDNx/1sN5MtL9i', 'a'.repeat(80)],
  apr1: [htpasswdLines.carol.hash, 'secret'],
  'apr1 of nothing': ['$apr1$qm6caddu$CTqyxYS0h0UjQhLf8rWC0.', ''],
  'apr1 of a text in UTF-8': ['$apr1$7nWDVjcC$COGCvM8w9XX8jbfhMYzCA0', 'pässwörd'],
  'apr1 of 80 bytes': ['$apr1$5RP3AmJ5$P.wFWpWmfCBdT34hucW1T/', 'a'.repeat(80)],
  'apr1 of 17 bytes': ['$apr1$abcdefgh$1EmOoQBtUQ/xoE6y2eLUr/', '0123456789abcdefg'],
  'apr1 with a short salt': ['$apr1$ab$eIePjsejfBGR8ITtu2z0U1', 'x'],
} as const;

for (const [name, [hash, password]] of Object.entries(vectors)) {
  test(`${name}: the password is right, and others are not`, (t) => {
    t.not(hashFormat(hash), undefined);
    t.true(isRight(hash, bytes(password)));
    t.false(isRight(hash, bytes(password.replace(/^.?/, 'X'))));
    t.false(isRight(hash, bytes(password.slice(0, -9) || 'y')));
  });
}

test('bcrypt looks at 72 bytes, as Apache does; apr1 at all', (t) => {
  const [of72] = vectors['bcrypt of 72 bytes'];
  t.true(isRight(of72, bytes('a'.repeat(73))));
  t.false(isRight(of72, bytes('a'.repeat(71))));
  t.false(isRight(vectors['apr1 of 80 bytes'][0], bytes('a'.repeat(81))));
});

test('bytes that are no text are wrong for bcrypt, and the same to apr1', (t) => {
  const latin1 = Buffer.from('pässwörd', 'latin1');
  t.false(isRight(htpasswdLines.jörg.hash, latin1));
  t.true(isRight(apr1(latin1, 'salt'), latin1));
});

test('the versions of bcrypt differ in name alone', (t) => {
  for (const version of ['$2a$', '$2b$', '$2y$'])
    t.true(isRight(htpasswdLines.ann.hash.replace('$2y$', version), bytes('secret')), version);
});

test('what is not whole, or of another format, is none', (t) => {
  const { ann, carol, eve } = htpasswdLines;
  t.deepEqual(
    [ann, carol, eve].map(({ hash }) => hashFormat(hash)),
    ['bcrypt', 'apr1', 'sha'],
  );
  const others = [
    ...[ann, carol, eve].flatMap(({ hash }) => [hash.slice(0, -1), `${hash}x`, `${hash} `]),
    ...[ann.hash.replace('$2y$', '$2x$'), ann.hash.replace('$2y$', '$2$'), ann.hash.replace('$04$', '$03$')],
    ...[
      '',
      'secret',
      '{SSHA}plugh',
      '$5$x$y',
      '$6$x$y',
      '$1$salt$hash',
      'YJA1j9uoeLjVI',
      '$apr1$$k840QgciURAAVAM5gpcqn0',
    ],
  ];
  for (const hash of others) {
    t.is(hashFormat(hash), undefined, hash);
    t.false(isRight(hash, bytes('secret')), hash);
  }
  t.deepEqual([bcryptCost(ann.hash), bcryptCost(htpasswdLines.bob.hash)], [4, 10]);
});
