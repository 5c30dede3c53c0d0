import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { loadConfig } from '../../../src/config/index.ts';

async function configured(text: string) {
  const file = join(await mkdtemp(join(tmpdir(), 'gatewright-config-')), 'config.yaml');
  await writeFile(file, `ingress: ${text}\n`);
  return loadConfig(file, { CLASS: 'internal' }).ingress;
}

test('classes to adopt are names, also by variables', async (t) => {
  const { adopt } = await configured(`{enabled: true, gateway: infra/edge, adopt: [nginx, "\${CLASS}"]}`);
  t.deepEqual(adopt, ['nginx', 'internal']);
});

const rejected = test.macro({
  exec: async (t, text: string, message: RegExp) => {
    await t.throwsAsync(configured(text), { message });
  },
  title: (_, text: string) => `ingress: ${text}`,
});
test(
  rejected,
  '{enabled: true, gateway: infra/edge, adopt: nginx}',
  /ingress\.adopt: .*a list of names of IngressClasses/,
);
test(rejected, '{enabled: true, gateway: infra/edge, adopt: [Nginx]}', /ingress\.adopt\[0\]: .*a list of names/);
test(rejected, '{enabled: true, gateway: infra/edge, adopt: [nginx, nginx]}', /ingress\.adopt: .*each class once/);
test(
  rejected,
  '{enabled: true, adopt: [nginx]}',
  /ingress: expected gateway to name a Gateway .*which serves the Ingresses of the classes/,
);
test(
  rejected,
  '{gateway: infra/edge, adopt: [nginx]}',
  /ingress: expected enabled to be true, since adopt names classes/,
);
