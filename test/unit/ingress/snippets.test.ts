import test from 'ava';
import { snippet } from '../../../src/ingress/snippets/convert.ts';
import { parseDirectives } from '../../../src/ingress/snippets/parse.ts';

const parsed = (text: string) => parseDirectives(text).map(({ name, args, line }) => [line, name, ...args]);

test('directives are read as nginx reads them', (t) => {
  t.deepEqual(
    parsed('add_header X-A "a; b" always;\n# add_header X-B c;\nproxy_set_header X-C \'d "e"\';expires 1d ;\n'),
    [
      [1, 'add_header', 'X-A', 'a; b', 'always'],
      [3, 'proxy_set_header', 'X-C', 'd "e"'],
      [3, 'expires', '1d'],
    ],
  );
  t.deepEqual(parsed('set $a $b;\nif ($x = "}") {\n return 403;\n}\nreturn 404;'), [
    [1, 'set', '$a', '$b'],
    [2, 'if', '($x', '=', '}', ')'],
    [5, 'return', '404'],
  ]);
});

test('what is not ended is a directive too, and nothing is passed over', (t) => {
  t.deepEqual(parsed('deny all'), [[1, 'deny', 'all']]);
  t.deepEqual(parsed('if ($a) { return 403;'), [[1, 'if', '($a)']]);
  t.deepEqual(parsed('add_header A "b; deny all;'), [[1, 'add_header', 'A', 'b; deny all;']]);
  t.deepEqual(parsed('}}} deny all;'), [[1, '}', 'all']].slice(1).concat([[1, 'deny', 'all']]));
});

test('directives with a word become headers, answers and limits', (t) => {
  const part = snippet(
    'configuration-snippet',
    `more_set_headers "X-Frame-Options: DENY" "X-B: c";
     add_header X-C d always;
     proxy_hide_header X-Powered-By;
     proxy_set_header X-Team shop;
     client_max_body_size 2m;
     access_log off;`,
  );
  t.false(part.findings.some(({ blocks }) => blocks));
  t.like(part, {
    requestHeaders: { set: [{ name: 'x-team', value: 'shop' }] },
    responseHeaders: {
      set: [
        { name: 'X-Frame-Options', value: 'DENY' },
        { name: 'X-B', value: 'c' },
      ],
      add: [{ name: 'x-c', value: 'd' }],
      remove: ['x-powered-by'],
    },
    traffic: { requestBody: { maxBytes: '2Mi' } },
  });
  t.deepEqual(snippet('s', 'return 418 teapot;').answer, { directResponse: { status: 418, body: 'teapot' } });
});

test('variables become values of a filter, and a return to another host a redirect', (t) => {
  const part = snippet(
    's',
    'proxy_set_header X-Client "$remote_addr at $http_host 100%";\nproxy_set_header X-Was $http_x_old;',
  );
  t.false(part.findings.some(({ blocks }) => blocks));
  t.deepEqual(part.requestValues, [
    { name: 'x-client', value: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT% at %REQ(:AUTHORITY)% 100%%' },
    { name: 'x-was', value: '%REQ(x-old)%' },
  ]);
  t.deepEqual(snippet('s', 'return 301 https://b.test$request_uri;').redirect, {
    scheme: 'https',
    hostname: 'b.test',
    statusCode: 301,
  });
  t.deepEqual(snippet('s', 'return 308 https://$host$request_uri;').redirect, { scheme: 'https', statusCode: 308 });
});

test('what has no word is quoted with its line, and blocks', (t) => {
  for (const text of [
    'deny all;',
    'allow 10.0.0.0/8;',
    'proxy_set_header Host $other;',
    'proxy_set_header X-A $request_uri;',
    'proxy_set_header Connection $http_upgrade;',
    'more_set_headers -s 404 "X-A: b";',
    'return 301 https://$host/x;',
    'return 301 https://b.test$uri;',
    'set $x 1;',
    'unheard_of on;',
    '__proto__ a;',
    'constructor a;',
  ]) {
    const [finding] = snippet('server-snippet', `\n${text}`).findings;
    t.like(finding, { about: 'server-snippet line 2', blocks: true }, text);
    t.true(finding?.text.startsWith(text), finding?.text);
  }
});

const addresses = (text: string) => snippet('s', text, true);

test('lines of addresses become a list where their order means the same there', (t) => {
  for (const [text, clientIPs] of [
    ['allow 10.1.2.3/8; allow 2001:db8::/32; deny all;', { allow: ['10.0.0.0/8', '2001:db8::/32'] }],
    ['deny 10.6.6.6; allow 10.0.0.0/8; deny all;', { allow: ['10.0.0.0/8'], deny: ['10.6.6.6'] }],
    ['deny 192.0.2.1; deny 192.0.2.2;', { deny: ['192.0.2.1', '192.0.2.2'] }],
    ['deny 192.0.2.1; allow all; deny all;', { deny: ['192.0.2.1'] }],
    ['deny 192.0.2.1; allow 10.0.0.0/8;', { deny: ['192.0.2.1'] }],
    ['more_set_headers "a: b"; allow 10.0.0.0/8; deny all; deny 10.0.0.1;', { allow: ['10.0.0.0/8'] }],
  ] as const) {
    const { access, findings } = addresses(text);
    t.deepEqual(access, { clientIPs }, text);
    t.false(
      findings.some(({ blocks }) => blocks),
      text,
    );
  }
});

test('other orders and other words about addresses block', (t) => {
  for (const text of [
    'deny all;',
    'allow 10.0.0.0/8; deny 10.6.6.6; deny all;',
    'allow 10.0.0.0/8;',
    'allow unix:; deny all;',
    'allow $remote_addr; deny all;',
    'allow 10.0.0.0/33; deny all;',
    'allow 10.0.0.0/8 10.1.0.0/16; deny all;',
    'allow 10.0.0.0/8; deny all; return 200;',
    'satisfy any; allow 10.0.0.0/8; deny all;',
    'allow 10.0.0.0/8; if ($a) { b c; } deny all;',
    `${'more_set_headers "a: b";'.repeat(1_000)} allow 10.0.0.0/8; deny all;`,
  ]) {
    const { access, findings } = addresses(text);
    t.false('clientIPs' in (access ?? {}), text.slice(0, 80));
    t.true(
      findings.some(({ blocks }) => blocks),
      text.slice(0, 80),
    );
  }
  t.true(
    snippet('s', 'allow 10.0.0.0/8; deny all;').findings.every(({ blocks }) => blocks),
    'elsewhere more may be said',
  );
});

test('reading a hostile snippet takes time that follows its length', (t) => {
  for (const text of [
    'a '.repeat(400_000),
    'a;'.repeat(400_000),
    '{'.repeat(800_000),
    '"\\'.repeat(400_000),
    '#\n'.repeat(400_000),
    '$'.repeat(400_000),
    '\n'.repeat(800_000),
  ])
    t.true(parseDirectives(text).length <= 1_000);
});
