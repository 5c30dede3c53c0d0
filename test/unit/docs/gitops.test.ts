import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { root } from '../../../scripts/paths.mjs';
import { type Chart, render, type Values } from '../../support/helm.ts';

interface Installed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly dependsOn?: readonly { readonly name: string }[];
    /** Argo CD's. */
    readonly source?: {
      readonly path: string;
      readonly targetRevision: string;
      readonly helm?: { readonly valuesObject: Values };
    };
    /** Flux's. */
    readonly chart?: { readonly spec: { readonly chart: string } };
    readonly values?: Values;
    readonly ref?: { readonly tag: string };
  };
}

const page = readFileSync(join(root, 'docs/gitops.md'), 'utf8');
const objects = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) =>
  parseAllDocuments(text).map((document) => document.toJS() as Installed),
);

test('what tools are given are charts that there are, with values that they accept', async (t) => {
  const installed = objects.filter(({ kind }) => kind === 'Application' || kind === 'HelmRelease');
  t.is(installed.length, 4);
  for (const { metadata, spec } of installed) {
    const path = spec.source?.path ?? spec.chart?.spec.chart ?? '';
    t.true(existsSync(join(root, path, 'Chart.yaml')), path);
    t.is(path, `charts/${metadata.name}`);
    const values = spec.source?.helm?.valuesObject ?? spec.values ?? {};
    t.true((await render(metadata.name as Chart, values)).length > 0);
  }
});

test('it is this version that is installed', (t) => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const named = objects.flatMap(({ spec }) => spec.source?.targetRevision ?? spec.ref?.tag ?? []);
  t.deepEqual([...new Set(named)], [`v${version}`]);
});

test('definitions stay when their chart goes', async (t) => {
  for (const { metadata } of await render('gatewright-crds'))
    t.is(metadata.annotations?.['helm.sh/resource-policy'], 'keep', metadata.name);
});
