import test, { type ExecutionContext } from 'ava';
import { testCertificates } from '../support/certificates.ts';
import { anywhere, fileFor as config, runProgram } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';

type Arrange = (t: ExecutionContext) => { readonly args: readonly string[]; readonly env?: NodeJS.ProcessEnv };

const endsWith = test.macro<[Arrange, RegExp]>(async (t, arrange, message) => {
  const { args, env } = arrange(t);
  const { code, stderr } = await runProgram(args, env);
  t.is(code, 1);
  t.regex(stderr, message);
  t.is(stderr.trim().split('\n').length, 1, `one line: ${stderr}`);
});

/** A cluster that is not there. */
function unreachable(t: ExecutionContext): string {
  const kubeconfig = config(
    t,
    [
      'apiVersion: v1',
      'kind: Config',
      'clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]',
      'users: [{name: u, user: {token: t}}]',
      'contexts: [{name: x, context: {cluster: c, user: u}}]',
      'current-context: x',
    ].join('\n'),
  );
  return `source: {kubernetes: {kubeconfig: ${kubeconfig}}}\n`;
}

thorough(test)(
  'a configuration file that is not there',
  endsWith,
  () => ({ args: ['control-plane', '--config', '/nowhere/config.yaml'] }),
  /\/nowhere\/config\.yaml: cannot read the configuration file/,
);

thorough(test)(
  'a configuration file that is not YAML',
  endsWith,
  (t) => ({ args: ['control-plane', '--config', config(t, 'xds: [')] }),
  /config\.yaml:\d+/,
);

test(
  'an unknown key',
  endsWith,
  (t) => ({ args: ['control-plane', '--config', config(t, 'debounce: {quietMS: 3}')] }),
  /config\.yaml:1: .*quietMS.*quietMs/,
);

thorough(test)(
  'a token file that is not there',
  endsWith,
  (t) => ({ args: ['control-plane', '--config', config(t, 'admin_auth: {bearer_token_file: /nowhere/token}')] }),
  /bearer_token_file.*\/nowhere\/token/,
);

thorough(test)(
  'a token variable that is empty',
  endsWith,
  (t) => ({
    args: ['control-plane', '--config', config(t, `admin_auth: {bearer_token: "\${ADMIN_TOKEN}"}`)],
    env: { ADMIN_TOKEN: '' },
  }),
  /ADMIN_TOKEN/,
);

thorough(test)(
  'an API server that cannot be reached',
  endsWith,
  (t) => ({ args: ['control-plane', '--config', config(t, anywhere + unreachable(t))] }),
  /cannot use the API server https:\/\/127\.0\.0\.1:1/,
);

thorough(test)(
  'an API server that cannot be reached for the authority of xDS',
  endsWith,
  (t) => ({ args: ['control-plane', '--config', config(t, unreachable(t))] }),
  /cannot use the API server https:\/\/127\.0\.0\.1:1/,
);

thorough(test)(
  'a serving certificate that is not there',
  endsWith,
  (t) => {
    const files = 'xds: {tls: {certFile: /nowhere/tls.crt, keyFile: /nowhere/tls.key, caFile: /nowhere/ca.crt}}\n';
    return { args: ['control-plane', '--config', config(t, files + unreachable(t))] };
  },
  /xds\.tls\.certFile: \/nowhere\/tls\.crt cannot be read \(ENOENT\); create it or correct the path/,
);

thorough(test)(
  'a data plane whose token file is not there',
  endsWith,
  (t) => {
    const ca = config(t, testCertificates[0].certificate, 'ca.crt');
    const dataplane = `dataplane: {cluster: a/b, tls: {caFile: ${ca}}, tokenFile: /nowhere/token}`;
    return { args: ['data-plane', '--config', config(t, dataplane)], env: { SVC_GW_NODE_ID: 'a' } };
  },
  /dataplane\.tokenFile: \/nowhere\/token cannot be read \(ENOENT\)/,
);

thorough(test)(
  'a data plane whose authorities are none',
  endsWith,
  (t) => {
    const dataplane = `dataplane: {cluster: a/b, tls: {caFile: ${config(t, 'hello', 'ca.crt')}}}`;
    return { args: ['data-plane', '--config', config(t, dataplane)], env: { SVC_GW_NODE_ID: 'a' } };
  },
  /dataplane\.tls\.caFile: .*ca\.crt holds no certificates in PEM/,
);

thorough(test)('a directory of the command line that is not there is a wrong command line', async (t) => {
  const { code, stderr } = await runProgram(['run', '-f', '/nowhere/routes']);
  t.is(code, 2);
  t.is(stderr, 'gatewright: /nowhere/routes does not exist: name a directory of YAML files, or one such file\n');
});

thorough(test)(
  'a data plane without a name',
  endsWith,
  () => ({ args: ['data-plane'], env: { SVC_GW_NODE_ID: '' } }),
  /SVC_GW_NODE_ID/,
);

thorough(test)(
  'an empty token file',
  endsWith,
  (t) => ({
    args: ['control-plane', '--config', config(t, `admin_auth: {bearer_token_file: ${config(t, ' ', 'token')}}`)],
  }),
  /bearer_token_file: token file .* is empty; write the token into it/,
);

thorough(test)(
  'a renew deadline that is no shorter than the lease',
  endsWith,
  (t) => ({
    args: ['control-plane', '--config', config(t, 'leaderElection: {leaseDuration: 10s, renewDeadline: 10s}')],
  }),
  /config\.yaml:1: leaderElection\.renewDeadline: expected less than leaseDuration, which is 10s, got "10s"/,
);

thorough(test)(
  'a configuration that is checked and found wanting',
  endsWith,
  (t) => ({ args: ['config', 'check', '--config', config(t, 'translatorLimits: {maxInputObject: 1}')] }),
  /config\.yaml:1: translatorLimits\.maxInputObject: unknown key; did you mean maxInputObjects\?/,
);

test('a configuration that is checked and found good', async (t) => {
  const file = config(t, anywhere);
  t.deepEqual(await runProgram(['config', 'check', '--config', file]), {
    code: 0,
    stdout: `${file}: ok\n`,
    stderr: '',
  });
});
