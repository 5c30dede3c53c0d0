import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { convert, judge } from '../../src/ingress/index.ts';
import { testCertificates } from '../support/certificates.ts';
import { runCommand } from '../support/command.ts';
import { readGolden, writeGolden } from '../support/golden/load.ts';
import { convertOptions, worldOfYaml } from '../support/ingress-world.ts';
import { every } from '../support/repetitions.ts';

/** Ingresses in, verdicts and Gateway API objects out. `npm run golden` rewrites the outputs; a reviewer reads the difference. */
const directory = fileURLToPath(new URL('migrate/', import.meta.url));

function conversionOf(input: string) {
  const { files, ingresses, disputed } = convert(judge(worldOfYaml(input)), convertOptions);
  const verdicts = ingresses.map(({ judged: { key }, verdict, outcome }) => `# ${key}: ${verdict}, ${outcome}\n`);
  const texts = [...files].map(([file, text]) => `# file ${file}\n${text}`);
  return {
    files,
    text: `${verdicts.join('')}${disputed.map((line) => `# disputed: ${line}\n`).join('')}${texts.join('---\n')}`,
  };
}

const names = readdirSync(directory);
const tried = new Set(every(4, names));

for (const name of names) {
  test(name.replace('.yaml', '').replaceAll('-', ' '), async (t) => {
    const golden = readGolden(directory + name);
    const { files, text } = conversionOf(golden.input);
    t.is(conversionOf(golden.input).text, text, 'the same once more');
    if (process.env.UPDATE_GOLDEN) writeFileSync(directory + name, writeGolden(golden, text));
    t.is(text, process.env.UPDATE_GOLDEN ? text : golden.output);
    if (tried.has(name)) await accepted(t, golden.input, files);
  });
}

/** What is written is accepted as it is, beside the Services and Secrets that there were. */
async function accepted(t: ExecutionContext, input: string, files: ReadonlyMap<string, string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-migrate-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [{ certificate, key }] = testCertificates;
  const secret = (namespace: string, name: string) =>
    stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name, namespace },
      stringData: { 'tls.crt': certificate, 'tls.key': key },
    });
  const authority = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'backend-ca', namespace: 'shop' },
    data: { 'ca.crt': certificate },
  };
  writeFileSync(
    join(folder, 'secrets.yaml'),
    [stringify(authority), secret('shop', 'web-tls'), secret('infra', 'default-tls')].join('---\n'),
  );
  writeFileSync(join(folder, 'input.yaml'), input);
  for (const [file, text] of files) writeFileSync(join(folder, file.replace('/', '-')), text);
  const { code, stdout, stderr } = await runCommand(['translate', '-f', folder]);
  // Gatewright warns of backends that are not verified, as it should: nginx verified none.
  const warned = stdout.includes('VerificationDisabled');
  t.is(code, warned ? 1 : 0, `${stdout}\n${stderr}`);
  t.notRegex(stdout, / False /);
  t.notRegex(stderr, /error:/);
}
