import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { baseFiles, ingressFile, peopleRolesPath, resourceWriterFile } from '../../../scripts/generate/packaging.ts';
import { root } from '../../../scripts/paths.mjs';
import { objectsOf } from '../../support/manifests.ts';

const pages = [
  'README.md',
  'manifests/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'src/admin/auth/bearer-auth.ts',
  'src/admin/auth/kubernetes/cluster-identities.ts',
  'src/admin/auth/token-secret.ts',
  'src/cli/kit/cluster-credential.ts',
  'src/cli/kit/port-forward.ts',
  'src/admin/managed-resources/cluster/cluster-error.ts',
  'src/admin/http/resource-error-codes.ts',
];

const roles = new Set(
  [...baseFiles('manifests'), resourceWriterFile, peopleRolesPath, ingressFile]
    .flatMap((path) => objectsOf(readFileSync(join(root, path), 'utf8')))
    .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
    .map(({ metadata }) => metadata.name),
);

for (const page of pages) {
  const text = readFileSync(join(root, page), 'utf8');

  test(`roles that ${page} names are in rbac/`, (t) => {
    const named = [...text.matchAll(/(?:Cluster)?Role `?(?<name>gatewright[a-z-]*)`?/g)].map(
      ({ groups }) => groups?.name,
    );
    t.deepEqual(
      named.filter((name) => !roles.has(name ?? '')),
      [],
    );
  });

  test(`files that ${page} names are there`, (t) => {
    const named = [
      ...text.matchAll(/(?<![\w./-])(?<path>(?:rbac|manifests|charts|crds|examples)\/[\w./-]*[\w/])/g),
    ].map(({ groups }) => groups?.path ?? '');
    t.deepEqual(
      // In capitals: what the reader puts in. An archive is of a release, and not of the repository.
      named.filter((path) => !/\/(?:NAME|VERSION)\b|\.tgz$/.test(path) && !existsSync(join(root, path))),
      [],
    );
  });
}

test('there are roles to name', (t) => {
  t.true(roles.has('gatewright-resource-writer'));
  t.true(roles.size >= 5);
});
