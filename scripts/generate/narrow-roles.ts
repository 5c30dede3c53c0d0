/**
 * Roles for one namespace out of the ClusterRoles for all of them, and the configuration of narrower installs out of the one for a
 * whole cluster. Source: rbac/control-plane.yaml, manifests/20-config.yaml.
 */
import { parseAllDocuments, stringify } from 'yaml';

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly object[];
}

const apiVersion = 'rbac.authorization.k8s.io/v1';
const labels = { 'app.kubernetes.io/name': 'gatewright' };

/** A Role with the rules of each of these ClusterRoles, and a RoleBinding, for the namespace that a kustomization says. */
export function narrowRoles(text: string, names: readonly string[]): string {
  const roles = parseAllDocuments(text)
    .map((document) => document.toJS() as Role)
    .filter(({ kind, metadata }) => kind === 'ClusterRole' && names.includes(metadata.name));
  if (roles.length !== names.length) throw new Error(`not all of ${names.join(', ')} are ClusterRoles`);
  return roles
    .flatMap(({ metadata: { name }, rules }) => [
      { apiVersion, kind: 'Role', metadata: { name, labels }, rules },
      {
        apiVersion,
        kind: 'RoleBinding',
        metadata: { name, labels },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ kind: 'ServiceAccount', name: 'gatewright', namespace: 'gatewright-system' }],
      },
    ])
    .map((object) => `---\n${stringify(object, { flowCollectionPadding: false })}`)
    .join('');
}

export interface NarrowConfig {
  readonly namespaces?: readonly string[];
  readonly proxiesNamespace?: string;
}

/** The ConfigMap with what limits the install written into its configuration file; comments and all else as they are. */
export function narrowConfig(text: string, { namespaces, proxiesNamespace }: NarrowConfig): string {
  let narrowed = text;
  if (namespaces) {
    const list = `kubernetes:\n        # Rights for each of them: a folder here, and resourceNames in kustomization.yaml.\n        namespaces: [${namespaces.join(', ')}]`;
    narrowed = exchange(narrowed, 'kubernetes: {}', list);
  }
  if (proxiesNamespace)
    narrowed = exchange(narrowed, 'infrastructure:\n', `infrastructure:\n      namespace: ${proxiesNamespace}\n`);
  return narrowed;
}

function exchange(text: string, what: string, by: string): string {
  if (text.split(what).length !== 2) throw new Error(`${JSON.stringify(what)} is not once in the configuration`);
  return text.replace(what, () => by);
}
