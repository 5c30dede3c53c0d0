import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { baseFiles } from '../../../scripts/generate/packaging.ts';
import { root } from '../../../scripts/paths.mjs';
import { neededRights, type Right, rightText } from '../../../src/cli/precheck/rights.ts';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import { render } from '../../support/helm.ts';
import { objectsOf } from '../../support/manifests.ts';
import { every, thorough } from '../../support/repetitions.ts';
import { kustomized } from '../../support/shipped-install.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Every single right that an account has by some objects: roles that are bound to it, one line each. */
function grantedRights(objects: readonly KubernetesObject[]): string[] {
  const bound = objects
    .filter(({ kind }) => kind.endsWith('Binding'))
    .map(({ kind, metadata }) => ({
      kind: kind.replace('Binding', ''),
      metadata,
    }));
  const rights = bound.flatMap(({ kind, metadata: { name, namespace } }) => {
    const role = objects.find(
      (object) => object.kind === kind && object.metadata.name === name && object.metadata.namespace === namespace,
    );
    return (role as unknown as { readonly rules: readonly Rule[] }).rules.flatMap((rule) => rightsOf(rule, namespace));
  });
  return [...new Set(rights.map(rightText))].sort();
}

const rightsOf = (
  { apiGroups, resources, verbs, resourceNames = [undefined as unknown as string] }: Rule,
  namespace: string | undefined,
): Right[] =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        resourceNames.map((name) => ({
          verb,
          group,
          resource,
          ...(name && { name }),
          ...(namespace && { namespace }),
        })),
      ),
    ),
  );

const needed = (scope: Parameters<typeof neededRights>[0]): string[] =>
  [...new Set(neededRights(scope).map(rightText))].sort();

const ownNamespace = 'gatewright-system';
const namespaces = ['team-a', 'team-b'];
const proxiesNamespace = ownNamespace;

const scopes = {
  manifests: { ownNamespace },
  'overlays/namespaced': { ownNamespace, namespaces },
  'overlays/system-proxies': { ownNamespace, proxiesNamespace },
  'overlays/namespaced-system-proxies': { ownNamespace, namespaces, proxiesNamespace },
} as const;

for (const [folder, scope] of every(2, Object.entries(scopes))) {
  test(`${folder} grants what the code asks for, and not one right more`, async (t) => {
    const granted = grantedRights(await kustomized(folder));
    t.true(granted.length > 50);
    t.deepEqual(granted, needed(scope));
  });
}

const values = {
  manifests: {},
  'overlays/namespaced': { scope: { namespaces } },
  'overlays/system-proxies': { infrastructure: { namespace: proxiesNamespace } },
  'overlays/namespaced-system-proxies': { scope: { namespaces }, infrastructure: { namespace: proxiesNamespace } },
} as const;

for (const [folder, set] of Object.entries(values)) {
  thorough(test)(`the chart grants with its values what ${folder} does`, async (t) => {
    t.deepEqual(grantedRights(await render('gatewright', set)), needed(scopes[folder as keyof typeof scopes]));
  });
}

test('each overlay is configured for what it grants', async (t) => {
  for (const [folder, scope] of Object.entries(scopes)) {
    const text = JSON.stringify(await kustomized(folder));
    t.is(text.includes('namespaces: [team-a, team-b]'), 'namespaces' in scope, folder);
    t.is(text.includes('infrastructure:\\n  namespace: gatewright-system'), 'proxiesNamespace' in scope, folder);
  }
});

test('no Role for a namespace is bound in the whole cluster', (t) => {
  const files = ['rbac/namespaced/reader/roles.yaml', 'rbac/namespaced/proxies/roles.yaml'];
  const kinds = files.flatMap((path) => objectsOf(readFileSync(join(root, path), 'utf8'))).map(({ kind }) => kind);
  t.deepEqual([...new Set(kinds)].sort(), ['Role', 'RoleBinding']);
  t.true(baseFiles('rbac').every((path) => !path.includes('namespaced')));
});
