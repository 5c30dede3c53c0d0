import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { root } from '../../../scripts/paths.mjs';
import { packConformance } from '../../../scripts/release/conformance.ts';
import { packInferenceConformance } from '../../../scripts/release/inference-conformance.ts';

test('the report is laid out and named as upstream asks, and not changed', async (t) => {
  const out = mkdtempSync(join(tmpdir(), 'gatewright-conformance-'));
  t.teardown(() => rmSync(out, { recursive: true }));
  await packConformance(out);
  const [file = '', ...others] = globSync('v*/*/*.yaml', { cwd: out });
  t.deepEqual(others, []);
  const text = readFileSync(join(out, file), 'utf8');
  t.is(text, readFileSync(join(root, 'docs/conformance-report.yaml'), 'utf8'));
  const { gatewayAPIChannel, gatewayAPIVersion, mode, implementation, profiles } = parse(text);
  t.true(gatewayAPIVersion.startsWith(`${file.split('/')[0]}.`), 'the folder is of the minor version');
  t.is(basename(file), `${gatewayAPIChannel}-${implementation.version}-${mode}-report.yaml`);
  for (const field of ['organization', 'project', 'url', 'version']) t.truthy(implementation[field], field);
  t.true(implementation.contact.length > 0);
  for (const { core, extended } of profiles) t.deepEqual([core.result, extended.result], ['success', 'success']);
  const readme = readFileSync(join(out, file, '..', 'README.md'), 'utf8');
  t.true(readme.includes(`| ${gatewayAPIChannel} | [${implementation.version}](${implementation.url}) | ${mode} |`));
  t.true(readme.includes(`(./${basename(file)})`));
  t.regex(readme, /^## Reproduce$/m);
});

test('the report of the Inference Extension is laid out and named as its repository asks, and not changed', async (t) => {
  const out = mkdtempSync(join(tmpdir(), 'gatewright-conformance-'));
  t.teardown(() => rmSync(out, { recursive: true }));
  await packInferenceConformance(out);
  const [file = '', ...others] = globSync('v*/gateway/*/*.yaml', { cwd: out });
  t.deepEqual(others, []);
  const text = readFileSync(join(out, file), 'utf8');
  t.is(text, readFileSync(join(root, 'docs/inference-conformance-report.yaml'), 'utf8'));
  const { GatewayAPIInferenceExtensionVersion: extension, mode, implementation, profiles } = parse(text);
  t.is(file, `${extension}/gateway/gatewright/${implementation.version}-${mode}-gateway-report.yaml`);
  t.like(profiles, [
    { name: 'Gateway', core: { result: 'success', statistics: { Passed: 14, Failed: 0, Skipped: 0 } } },
  ]);
  const readme = readFileSync(join(out, file, '..', 'README.md'), 'utf8');
  t.true(readme.includes(`| ${extension} | Gateway | [${implementation.version}](${implementation.url}) | ${mode} |`));
  t.true(readme.includes(`(./${basename(file)})`));
  t.regex(readme, /^## Reproduce$/m);
});
