import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { runCommand } from '../support/command.ts';
import { fileFor, startProgram } from '../support/program.ts';
import { request } from '../support/request.ts';
import { until } from '../support/until.ts';

test('describe says of a Gateway whose class no controller serves that it is so, not that proxies are late', async (t) => {
  const manifest = fileFor(
    t,
    `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: alien, namespace: default}
spec: {gatewayClassName: alien, listeners: [{name: http, port: 8099, protocol: HTTP}]}
`,
    'gateway.yaml',
  );
  const port = await freePort();
  const any = '127.0.0.1:0';
  const config = {
    source: { directory: manifest.slice(0, manifest.lastIndexOf('/')) },
    xds: { listen: any, insecure: true },
    admin: { listen: `127.0.0.1:${port}`, layout2Listen: any },
    metrics: { listen: any },
    infrastructure: { image: 'none' },
  };
  const program = startProgram(['control-plane', '--config', fileFor(t, JSON.stringify(config))]);
  t.teardown(() => program.kill('SIGKILL'));
  // Before the first snapshot, which follows the first reading of the directory, questions are answered 503.
  const isReady = async () => (await request(`http://127.0.0.1:${port}/readyz`)).status === 200;
  await until('the control plane to be ready', isReady);
  const { code, stdout } = await runCommand(['describe', 'gateway', 'alien', '--server', `127.0.0.1:${port}`]);
  t.is(code, 1, stdout);
  t.regex(
    stdout,
    /Accepted=Unknown, Pending: Waiting for controller\n +means: No controller has judged it: none serves its class/,
  );
  t.notRegex(stdout, /No data plane of the Gateway/);
});
