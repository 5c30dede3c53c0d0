import test from 'ava';
import { runCommand } from '../support/command.ts';
import { runProgram } from '../support/program.ts';

const explain = (name: string) => runCommand(['migrate', 'explain', name]);

test('the program explains an annotation', async (t) => {
  const { code, stdout, stderr } = await runProgram([
    'migrate',
    'explain',
    'nginx.ingress.kubernetes.io/whitelist-source-range',
  ]);
  t.is(code, 0, stderr);
  t.is(
    stdout,
    `allowlist-source-range, whitelist-source-range: an annotation
Only clients with these addresses come in; others get 403.
for: the paths of its Ingress
value: a list of addresses and networks, with commas; one that cannot be used: its paths answer 503
verdict: same
becomes: AccessPolicy clientIPs.allow
protects: an Ingress is not converted without it unless it is named

whitelist-source-range: a key of the ConfigMap
verdict: same
becomes: the default of the annotation of that name
`,
  );
});

test('a name may be several things', async (t) => {
  const { code, stdout } = await explain('server-snippet');
  t.is(code, 0);
  t.regex(stdout, /^server-snippet: an annotation\n[\s\S]*\n\nserver-snippet: a key of the ConfigMap\n/);
  t.regex(stdout, /\nrisk: Critical; /);
});

test('keys, flags with a value and directives are explained', async (t) => {
  t.regex((await explain('use-gzip')).stdout, /^use-gzip: a key of the ConfigMap\ndefault: false\nverdict: same\n/);
  for (const name of ['default-ssl-certificate', '--default-ssl-certificate', '--default-ssl-certificate=a/b'])
    t.regex((await explain(name)).stdout, /^--default-ssl-certificate: a flag/, name);
  t.regex((await explain('add_header')).stdout, /^add_header: a directive of snippets\nverdict: differs: /);
});

test('a name that is none is an error with the nearest one', async (t) => {
  const { code, stdout, stderr } = await explain('proxy-boddy-size');
  t.is(code, 2);
  t.is(stdout, '');
  t.regex(stderr, /no annotation, ConfigMap key or flag "proxy-boddy-size".*did you mean "proxy-body-size"\?\n$/);
});

test('hostile names are no pattern and no way to other data', async (t) => {
  for (const name of [
    '__proto__',
    'constructor',
    '(((((',
    'a'.repeat(100_000),
    '',
    '/',
    '='.repeat(50_000),
    '-/'.repeat(50_000),
  ])
    t.is((await explain(name)).code, 2, name.slice(0, 20));
});

test('a flag with its value is found', async (t) => {
  const { stdout } = await runCommand(['migrate', 'explain', '--', '--http-port=8080']);
  t.regex(stdout, /^--http-port: a flag of the controller\ndefault: 80\n/);
});
