/** Where a block of commands is tried: see test/feature/docs-commands.test.ts for `files`, test/kube/docs-commands.test.ts for the others. */
export type Scene = 'files' | 'one file' | 'kustomize' | 'overlay' | 'helm' | 'cluster';

/** What is done about a block of commands. `begins` is how its first command begins, so that a plan stays with its block. */
export type BlockPlan = { readonly begins: string } & (
  | {
      readonly scene: Scene;
      /** What stands for placeholders and places of this page, in this order. */
      readonly put?: readonly (readonly [string | RegExp, string])[];
      /** Beginnings of commands that cannot run, with the reason. */
      readonly without?: Readonly<Record<string, string>>;
      /** Beginnings of commands with the statuses that they may end with, where something may not be as it should be. */
      readonly ends?: Readonly<Record<string, readonly number[]>>;
    }
  /** The test file that runs the same. */
  | { readonly by: string }
  | { readonly not: string }
);

const image = ['REGISTRY/', 'registry.example/'] as const;
const builds = { 'docker build': 'an image needs a daemon and a registry' };
/** Answers are looked at with jq on pages, and here as they are: not every machine has jq. */
const noJq = [/ \| jq .*$/, ''] as const;
const admin = ['localhost:18081', '$ADMIN'] as const;

/** By page, in the order of its blocks. */
export const plans: Readonly<Record<string, readonly BlockPlan[]>> = {
  'README.md': [
    { begins: 'npm start', by: 'test/feature/examples.test.ts' },
    { begins: 'npm run build', by: 'test/feature/npm-package.test.ts' },
    {
      begins: 'curl -s -i',
      scene: 'files',
    },
    { begins: 'curl -s -o /dev/null', scene: 'files' },
    { begins: 'crds/install', scene: 'cluster' },
  ],
  'docs/access-policies.md': [
    { begins: 'gatewright route-test', scene: 'files', ends: { 'gatewright route-test': [1] } },
  ],
  'docs/admin-api.md': [
    { begins: 'TOKEN=$(kubectl', scene: 'cluster' },
    {
      begins: 'kubectl create clusterrolebinding',
      scene: 'cluster',
      put: [
        ['NAME', 'reader'],
        ['GROUP', 'staff'],
      ],
    },
  ],
  'docs/canary.md': [{ begins: 'gatewright top', scene: 'files' }],
  'docs/cli.md': [
    {
      begins: 'kubectl -n gatewright-system create rolebinding',
      scene: 'cluster',
      put: [
        ['GROUP', 'staff'],
        ['--context prod', '--context test'],
      ],
      ends: { 'gatewright status': [0, 1] },
    },
  ],
  'docs/configuration.md': [
    { begins: 'gatewright config check', scene: 'files', put: [['gateway.yaml', 'config.yaml']] },
  ],
  'docs/from-envoy-gateway.md': [
    { begins: 'gatewright migrate convert', by: 'test/feature/migrate-envoy-gateway.test.ts' },
  ],
  'docs/from-traefik.md': [{ begins: 'gatewright migrate convert', by: 'test/feature/migrate-traefik.test.ts' }],
  'docs/from-ingress-nginx.md': [
    { begins: 'gatewright migrate inventory', scene: 'cluster' },
    { begins: 'gatewright migrate convert', scene: 'cluster' },
    { begins: 'gatewright migrate explain', scene: 'files' },
  ],
  'docs/ingress-nginx-compare.md': [
    { begins: 'gatewright migrate compare --from', by: 'test/feature/migrate-compare.test.ts' },
    { begins: 'gatewright migrate compare --offline', by: 'test/feature/migrate-compare.test.ts' },
  ],
  'docs/ingress-nginx-moving.md': [{ begins: 'gatewright migrate status', by: 'test/feature/migrate-status.test.ts' }],
  'docs/install.md': [
    { begins: 'npm run build', by: 'test/feature/npm-package.test.ts' },
    { begins: 'docker build', scene: 'one file', without: builds },
    { begins: 'sed', scene: 'one file', put: [image] },
    { begins: 'kubectl apply --server-side -k', scene: 'kustomize', put: [['FOLDER', 'folder']] },
    { begins: 'helm upgrade --install gatewright-crds', scene: 'helm', put: [image] },
    { begins: 'kubectl -n NAMESPACE-OF', scene: 'helm', put: [['NAMESPACE-OF-THE-GATEWAY', 'default']] },
    { begins: 'kubectl kustomize overlays/system', scene: 'overlay', put: [image] },
    { begins: 'cp -r overlays', scene: 'overlay', put: [image] },
    { begins: 'helm upgrade --install gatewright ', scene: 'helm', put: [image] },
    { begins: 'gatewright precheck --namespaces', scene: 'helm' },
    { begins: 'kubectl -n gatewright-system get deployments', scene: 'one file' },
    { begins: 'kubectl delete clusterrolebinding', scene: 'one file' },
    { begins: 'helm upgrade gatewright-crds', scene: 'helm' },
    { begins: 'helm rollback', scene: 'helm' },
    { begins: 'kubectl get gateways', scene: 'one file' },
    { begins: 'kubectl delete -f', scene: 'one file' },
    { begins: 'helm uninstall', scene: 'helm' },
    { begins: 'kubectl get crd', scene: 'helm' },
    { begins: 'kubectl delete -k', scene: 'overlay' },
  ],
  'docs/operating.md': [
    { begins: 'kubectl -n gatewright-system get lease', scene: 'cluster', put: [noJq, admin] },
    {
      begins: 'kubectl apply -f gateway.yaml',
      scene: 'cluster',
      put: [
        ['gateway.yaml', 'examples/dataplane/gateway.yaml'],
        ['gateway/edge', 'gateway/shop'],
      ],
    },
    { begins: 'curl', scene: 'cluster', put: [noJq, admin] },
    {
      begins: 'kubectl -n NAMESPACE logs',
      not: 'no pod runs, so there is no log; test/envoy/agent-admin.test.ts asks the agent',
    },
    { begins: 'kubectl -n gatewright-system delete secret gatewright-xds-ca', scene: 'cluster' },
  ],
  'docs/releasing.md': [
    { begins: 'npm run release', by: 'test/feature/release.test.ts' },
    { begins: 'sha256sum', by: 'test/feature/release.test.ts' },
    { begins: 'tar -xzf', by: 'test/feature/release.test.ts' },
  ],
  'docs/session-persistence.md': [{ begins: 'kubectl -n shop', scene: 'cluster' }],
  'docs/start.md': [
    { begins: 'npm start', by: 'test/feature/examples.test.ts' },
    { begins: 'curl -i', scene: 'files' },
    {
      begins: 'npm run build',
      scene: 'files',
      without: {
        'npm ': 'test/feature/npm-package.test.ts installs it so',
        'gatewright run': 'it runs until it is ended: test/attack/stranger-standalone.test.ts',
      },
    },
    {
      begins: 'gatewright precheck',
      scene: 'cluster',
      put: [['my-cluster', 'test']],
      ends: { 'gatewright status': [0, 1] },
    },
  ],
  'docs/teams.md': [{ begins: 'kubectl apply -f rbac', scene: 'cluster' }],
  'docs/tls.md': [{ begins: 'gatewright get certificates', scene: 'files' }],
  'docs/troubleshooting.md': [
    { begins: 'gatewright status', scene: 'files', ends: { 'gatewright route-test': [1] } },
    { begins: 'gatewright collect', scene: 'cluster', put: [['NAME', 'test']] },
  ],
};
