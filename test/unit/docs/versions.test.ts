import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { root, versions } from '../../../scripts/paths.mjs';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Rows of the table by their first cell. */
const rows = new Map(
  read('docs/versions.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))
    .map(([name = '', ...cells]) => [name, cells] as const),
);

const minorOf = (version = ''): string => version.split('.').slice(0, 2).join('.');

test('docs/versions.md names the versions that are tested and shipped', (t) => {
  const { ENVOY, ENVOY_MINOR_BEFORE, ENVOY_OLD, KUBERNETES, GATEWAY_API, HELM } = versions as Record<string, string>;
  const [envoy = '', envoyTested = ''] = rows.get('Envoy beside our agent') ?? [];
  t.is(envoy, minorOf(ENVOY));
  t.is(
    envoyTested,
    `${minorOf(ENVOY)}, and that [${minorOf(ENVOY_MINOR_BEFORE)} and ${minorOf(ENVOY_OLD)} are rejected](install.md#upgrading)`,
  );
  t.true(rows.get('Kubernetes')?.[1]?.startsWith(`${minorOf(KUBERNETES)} in clusters;`));
  t.true(rows.get('Gateway API definitions')?.[1]?.startsWith(`v${minorOf(GATEWAY_API)},`));
  t.true(rows.get('Helm')?.[1]?.startsWith(`${minorOf(HELM)} `));
});

test('docs/versions.md names the oldest versions that the chart and the npm package accept', (t) => {
  const { kubeVersion } = parse(read('charts/gatewright/Chart.yaml')) as { readonly kubeVersion: string };
  const { engines } = JSON.parse(read('package.json')) as { readonly engines: { readonly node: string } };
  t.true(rows.get('Kubernetes')?.[0]?.startsWith(`${minorOf(kubeVersion.replace('>=', ''))} and newer;`));
  t.is(rows.get('Node, for the command line from npm')?.[0], `${engines.node.replace('>=', '')} and newer`);
});

test('the changelog has the version of package.json, or changes that are not released', (t) => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  const headings = [...read('CHANGELOG.md').matchAll(/^## (?<name>.*)$/gm)].map(([, name = '']) => name);
  t.is(headings[0], 'Unreleased');
  t.true(headings[1]?.startsWith(`${version} (`));
});
