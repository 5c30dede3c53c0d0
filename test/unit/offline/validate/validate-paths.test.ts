import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import {
  formatFinding,
  formatSummary,
  type ValidationReport,
  validatePaths,
} from '../../../../src/offline/validate/index.ts';
import { route, validator } from '../../sources/directory-harness.ts';

/** What is said about some files of a directory, and as text with paths from there on. */
async function judge(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
): Promise<{ report: ValidationReport; lines: string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-validate-'));
  t.teardown(() => rm(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const report = await validatePaths([directory], await validator);
  return { report, lines: report.findings.map((finding) => formatFinding(finding).replaceAll(`${directory}/`, '')) };
}

test('valid files are counted', async (t) => {
  const { report } = await judge(t, { 'a.yaml': `${route('one')}---\n${route('two')}`, 'b.yml': route('three') });
  t.like(report, { valid: true, files: 2, objects: 3, findings: [] });
  t.is(formatSummary(report), '3 objects in 2 files: 0 errors, 0 warnings');
});

test('every cause is reported with its place and a hint', async (t) => {
  const text = route('shop').replace('hostnames:', 'hostname:').replace('port: 80', 'port: 99999');
  const { report, lines } = await judge(t, { 'a.yaml': text });
  t.false(report.valid);
  t.is(lines.length, 2, lines.join('\n'));
  t.is(
    lines[0],
    'a.yaml:8:3: error: HTTPRoute default/shop: spec.hostname: unknown field "hostname"\n  hint: did you mean "hostnames"?',
  );
  t.regex(
    String(lines[1]),
    /^a\.yaml:13:11: error: HTTPRoute default\/shop: spec\.rules\[0\]\.backendRefs\[0\]\.port: 99999 is more than 65535\n {2}hint: Port specifies the destination port number to use for this resource\.$/,
  );
});

test('a rule of the definition has its message', async (t) => {
  const filter = '{type: RequestRedirect, requestRedirect: {statusCode: 301}}';
  const { lines } = await judge(t, { 'a.yaml': `${route('shop')}      filters: [${filter}, ${filter}]\n` });
  t.true(lines.length >= 1);
  t.regex(lines.join('\n'), /RequestRedirect/);
});

test('what is not YAML, there twice, or of a mistaken kind', async (t) => {
  const { report, lines } = await judge(t, {
    'a.yaml': `${route('shop')}---\nx: [\n`,
    'b.yaml': `${route('shop')}---\n${route('other').replace('HTTPRoute', 'HTTPRout')}`,
    'c.json': '{"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "x"}}',
  });
  t.like(report, { valid: false, files: 3, objects: 2 });
  const [syntax = '', twice = '', kind = ''] = lines;
  t.regex(syntax, /^a\.yaml:\d+:\d+: error: not valid YAML: .*\n {2}hint: nothing of this document is read/);
  t.regex(twice, /^b\.yaml:1:1: error: HTTPRoute default\/shop: is there twice; the one at a\.yaml:1:1 counts\n/);
  t.regex(kind, /^b\.yaml:\d+:1: error: kind: unknown kind HTTPRout .*\n {2}hint: did you mean "HTTPRoute"\?$/);
  t.is(lines.length, 3, lines.join('\n'));
});

test('a path that is not there is an error of the file system', async (t) => {
  await t.throwsAsync(validatePaths(['/nonexistent/gatewright'], await validator), { code: 'ENOENT' });
});
