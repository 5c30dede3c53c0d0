import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { bundle } from '../../scripts/bundle.ts';
import { kinds } from '../../src/gateway-api/index.ts';
import { ControlPlaneProcess, freePorts } from '../support/control-plane-process.ts';
import { KubeApiServer } from '../support/kube-apiserver.ts';
import { gatewayClass } from '../support/objects.ts';
import { startProgram } from '../support/program.ts';
import { request } from '../support/request.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ api: KubeApiServer; folder: string; file: string }>;
const patient = 600_000;

test.before(async (t) => {
  t.timeout(patient);
  t.context.folder = await mkdtemp(join(tmpdir(), 'gatewright-bundle-'));
  t.context.file = join(t.context.folder, 'bin/gatewright.js');
  await bundle(t.context.folder);
  t.context.api = await KubeApiServer.start({ crds: 'experimental' });
});
test.after.always(async (t) => {
  await t.context.api?.stop();
  await rm(t.context.folder, { recursive: true, force: true });
});

test.serial('what images run is an operator, without the classes of every Kubernetes resource', async (t) => {
  t.timeout(patient);
  const { api, folder, file } = t.context;
  const slim = await readFile(join(folder, 'bin/lib/kubernetes-client.cjs'), 'utf8');
  t.true(slim.includes('KubeConfig'));
  t.false(slim.includes('V1PodSpec'));
  // The parser of the library's own HTTP client.
  t.false(slim.includes('llhttp'));
  const control = new ControlPlaneProcess(t, {
    ports: await freePorts(),
    kubeconfig: api.kubeconfig,
    replicas: [],
    file,
  });
  const { name } = gatewayClass().metadata;
  await api.client.apply(kinds.GatewayClass, { ...gatewayClass(), metadata: { name } });
  const accepted = async () => {
    const object = await api.client.get(kinds.GatewayClass, { name });
    const { conditions = [] } =
      (object as { status?: { conditions?: { type: string; status: string }[] } }).status ?? {};
    return conditions.find(({ type, status }) => type === 'Accepted' && status === 'True');
  };
  t.truthy(await until('the class to be accepted', accepted, patient));
  const written = await request(`http://127.0.0.1:${control.ports.admin}/v1/resources?dryRun=true`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ ...gatewayClass(), metadata: { name: 'read', annotations: { note: 'größer' } } }),
  });
  t.true((await written.text()).includes('größer'), 'bodies are read, as UTF-8');
});

test.serial('its commands that do use those classes have them', async (t) => {
  t.timeout(patient);
  const { api, file } = t.context;
  const { code, stdout, stderr } = await startProgram(['precheck', '--kubeconfig', api.kubeconfig], {}, { file }).ended;
  t.is(code, 0, stdout + stderr);
  t.regex(stdout, /this user may install everything/);
});
