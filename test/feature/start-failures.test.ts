import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';

const program = fileURLToPath(new URL('../../bin/gatewright.ts', import.meta.url));

/** Runs the program until it ends by itself. */
async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, stderr };
}

function config(t: ExecutionContext, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-start-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'config.yaml');
  writeFileSync(file, text);
  return file;
}

const anywhere =
  'xds: {listen: "127.0.0.1:0", insecure: true}\nadmin: {listen: "127.0.0.1:0", layout2Listen: "127.0.0.1:0"}\nmetrics: {listen: "127.0.0.1:0"}\ninfrastructure: {image: none}\n';

type Arrange = (t: ExecutionContext) => { readonly args: readonly string[]; readonly env?: NodeJS.ProcessEnv };

const endsWith = test.macro<[Arrange, RegExp]>(async (t, arrange, message) => {
  const { args, env } = arrange(t);
  const { code, stderr } = await run(args, env);
  t.is(code, 1);
  t.regex(stderr, message);
  t.is(stderr.trim().split('\n').length, 1, `one line: ${stderr}`);
});

test(
  'a configuration file that is not there',
  endsWith,
  () => ({ args: ['control-plane', '--config', '/nowhere/config.yaml'] }),
  /\/nowhere\/config\.yaml: cannot read the configuration file/,
);

test(
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

test(
  'a token file that is not there',
  endsWith,
  (t) => ({ args: ['control-plane', '--config', config(t, 'admin_auth: {bearer_token_file: /nowhere/token}')] }),
  /bearer_token_file.*\/nowhere\/token/,
);

test(
  'a token variable that is empty',
  endsWith,
  (t) => ({
    args: ['control-plane', '--config', config(t, `admin_auth: {bearer_token: "\${ADMIN_TOKEN}"}`)],
    env: { ADMIN_TOKEN: '' },
  }),
  /ADMIN_TOKEN/,
);

test(
  'an API server that cannot be reached',
  endsWith,
  (t) => {
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
    return {
      args: ['control-plane', '--config', config(t, `${anywhere}source: {kubernetes: {kubeconfig: ${kubeconfig}}}\n`)],
    };
  },
  /cannot use the API server https:\/\/127\.0\.0\.1:1/,
);

test(
  'a directory that is not there',
  endsWith,
  () => ({ args: ['run', '-f', '/nowhere/routes'] }),
  /\/nowhere\/routes does not exist/,
);

test(
  'a data plane without a name',
  endsWith,
  () => ({ args: ['data-plane'], env: { SVC_GW_NODE_ID: '' } }),
  /SVC_GW_NODE_ID/,
);
