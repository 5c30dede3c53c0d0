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

const addresses = (text: string) => snippet('s', text, { hasAddresses: true });

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

const alone = (text: string) => snippet('configuration-snippet', text, { isAlone: true });
const celOf = (text: string): unknown => {
  const { authorization } = (alone(text).access ?? {}) as { authorization?: { rules: { when: { cel: string } }[] } };
  return authorization?.rules[0]?.when.cel;
};

test('lines that reject by method or header become one rule of what may come in', (t) => {
  for (const [text, cel] of [
    ['if ($request_method = POST) { return 403; }', "request.method != 'POST'"],
    ['if ($request_method !~ ^(GET|HEAD)$ ) { return 405; }', "request.method.matches('^(GET|HEAD)$')"],
    [
      'if ($http_x_key != "a b") { return 401; }',
      "('x-key' in request.headers ? request.headers['x-key'] == 'a b' : false)",
    ],
    [
      'if ($http_user_agent ~* "b(o|0)t\\.") {\n  return 403;\n}',
      "('user-agent' in request.headers ? !request.headers['user-agent'].matches('(?i)b(o|0)t\\\\.') : true)",
    ],
    [
      'if ($http_x_old) { return 410; } if ($request_method = PUT) { return 403; }',
      "('x-old' in request.headers ? (request.headers['x-old'] == '' || request.headers['x-old'] == '0') : true) && request.method != 'PUT'",
    ],
  ]) {
    t.is(celOf(text ?? ''), cel, text);
    t.true(
      alone(text ?? '').findings.every(({ verdict, blocks }) => verdict === 'differs' && !blocks),
      text,
    );
  }
});

test('a rewrite of what the backend sees, and one that sends all paths elsewhere, become filters', (t) => {
  const rewritten = (text: string) => alone(text).pathRewrite;
  t.deepEqual(rewritten('rewrite ^/old/(.*)$ /new/$1 break;'), {
    regexRewrite: { pattern: '^.*?(?:^/old/(.*)$).*$', substitution: '/new/\\1' },
  });
  t.deepEqual(rewritten('rewrite "/[0-9]{3}/" /n/$2 break; more_set_headers "a: b";'), {
    regexRewrite: { pattern: '^.*?(?:/[0-9]{3}/).*$', substitution: '/n/' },
  });
  const sent = (text: string) => alone(text).answer;
  t.deepEqual(sent('rewrite ^/(.*)$ https://b.test/x/$1 permanent;'), {
    regexRedirect: { pattern: '^/(.*)$', substitution: '/x/\\1', scheme: 'https', hostname: 'b.test', statusCode: 301 },
  });
  t.deepEqual(sent('rewrite ^ $scheme://b.test:8443/? redirect;'), {
    regexRedirect: {
      pattern: '^.*$',
      substitution: '/',
      hostname: 'b.test',
      port: 8443,
      statusCode: 302,
      stripQuery: true,
    },
  });
});

test('rewrites and conditions that mean more, or stand beside what answers, block', (t) => {
  for (const text of [
    'if ($http_x_key != "a") { return 200; }',
    'if ($http_x_key != "a") { return 403; more_set_headers "a: b"; }',
    'if ($http_x_key = "$arg_a") { return 403; }',
    'if ($http_x_key ~ "(?=a)") { return 403; }',
    'if ($http_x_key ~ "a\'") { return 403; }',
    'if ($http_cookie ~ a) { return 403; }',
    'if ($arg_a = b) { return 403; }',
    'if ($host = a.test) { return 403; }',
    'if ($request_method = POST) { set $a 1; }',
    'if ($request_method = POST) { return 403; } return 200;',
    'if ($request_method = POST) { return 403; } set $request_method GET;',
    'if ($request_method = POST) { return 403;',
    `if ($http_a ~ "${'a'.repeat(300)}") { return 403; }`,
    'if ($http_a ~* "(bot|spider)") { return 403; }',
    'if ($http_a ~ "........") { return 403; }',
    Array.from({ length: 9 }, (_, at) => `if ($http_a_${at} = b) { return 403; }`).join('\n'),
    'rewrite ^/a /b last;',
    'rewrite ^/a /b;',
    'rewrite ^/a /b?c=d break;',
    'rewrite ^/a /$host break;',
    'rewrite ^/a(?!b) /b break;',
    'rewrite ^/a /b break; rewrite ^/c /d break;',
    'rewrite ^/a /b break; return 404;',
    'if ($request_method = POST) { return 403; } rewrite ^/a /b break;',
    'rewrite ^/a https://b.test/ permanent;',
    'rewrite ^/(.*)$ https://b.test$1 permanent;',
    'return 404; rewrite ^ https://b.test/ permanent;',
  ]) {
    const { findings } = alone(text);
    t.true(
      findings.some(({ blocks }) => blocks),
      text,
    );
  }
  for (const text of ['if ($request_method = POST) { return 403; }', 'rewrite ^/a /b break;'])
    t.true(
      snippet('server-snippet', text).findings.every(({ blocks }) => blocks),
      'for all paths of a host, those of other Ingresses too',
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
