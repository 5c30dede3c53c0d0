/**
 * The test files that `npm test` leaves out and `npm run test:heavy` runs, and `.ci/run` behind it: with their CPU seconds, measured one after the other.
 * Together they are a quarter of the CPU time of all files. A file belongs here when it takes about 10 s or more and is no feature of users that
 * nothing else tests.
 */
export const heavyTests: Readonly<Record<string, number>> = {
  'test/attack/input.test.ts': 38,
  'test/feature/examples.test.ts': 28,
  'test/attack/input-files.test.ts': 27,
  'test/kube/replicas.test.ts': 25,
  'test/page/pages.test.ts': 25,
  'test/page/traffic.test.ts': 12,
  'test/page/sums.test.ts': 14,
  'test/page/questions.test.ts': 14,
  'test/page/hostile-machines.test.ts': 10,
  'test/page/changes.test.ts': 10,
  'test/page/map.test.ts': 10,
  'test/kube/key-fetches.test.ts': 18,
  'test/kube/gateway-api-versions.test.ts': 50,
  'test/kube/oldest-kubernetes.test.ts': 20,
  'test/kube/bundle.test.ts': 18,
  'test/kube/rights.test.ts': 17,
  'test/envoy/oidc-restarts.test.ts': 18,
  'test/envoy/rollouts.test.ts': 14,
  'test/feature/npm-package.test.ts': 20,
  'test/feature/release.test.ts': 45,
  'test/feature/site.test.ts': 20,
  'test/kube/docs-commands.test.ts': 70,
  'test/kube/precheck.test.ts': 13,
  'test/envoy/backend-policy.test.ts': 12,
  'test/page/docs.test.ts': 12,
  'test/page/editor.test.ts': 15,
  'test/page/chat.test.ts': 10,
  'test/page/serving.test.ts': 25,
  'test/attack/admin-access.test.ts': 12,
  'test/attack/cli-own-rights.test.ts': 11,
  'test/kube/cluster-source.test.ts': 11,
  'test/envoy/slots.test.ts': 18,
  'test/envoy/migration.test.ts': 10,
  'test/kube/migration.test.ts': 37,
  'test/envoy/http3-upgrade.test.ts': 7,
  'test/envoy/away-pickers.test.ts': 10,
};

/**
 * Files that `npm test` runs with few repetitions of what is random or timed (test/support/repetitions.ts), and `npm run test:heavy` with all: with
 * their CPU seconds then.
 */
export const repeatingTests: Readonly<Record<string, number>> = {
  'test/attack/access-moves.test.ts': 16,
  'test/unit/graph/incremental.test.ts': 13,
  'test/unit/graph/hostile-objects.test.ts': 14,
  'test/envoy/hostile-objects.test.ts': 16,
  'test/unit/support/parsers.test.ts': 8,
  'test/unit/translate/hosts/host-scopes.test.ts': 7,
  'test/envoy/access-cel.test.ts': 10,
  'test/envoy/access-judged.test.ts': 10,
  'test/envoy/agent-config.test.ts': 9,
  'test/envoy/ai-ledger.test.ts': 7,
  'test/envoy/migrated-corpus.test.ts': 20,
  'test/envoy/ai-weights.test.ts': 6,
  'test/envoy/route-test.test.ts': 7,
  'test/envoy/xds-real-envoy.test.ts': 8,
  'test/attack/access-model.test.ts': 6,
  'test/unit/yaml/yaml-work.test.ts': 7,
  'test/attack/xds-bounds.test.ts': 9,
  'test/attack/access-http3.test.ts': 10,
  'test/attack/access-moves-sotw.test.ts': 4,
  'test/attack/access-switches.test.ts': 6,
  'test/attack/filter-chains.test.ts': 9,
  'test/attack/held-requests.test.ts': 12,
  'test/envoy/scoped-routes.test.ts': 14,
  'test/feature/ingress-model.test.ts': 7,
  'test/unit/agent/cache.test.ts': 2,
  'test/unit/cluster/identity/client-identity.test.ts': 1,
  'test/unit/cost/memory-per-route.test.ts': 5,
  'test/unit/cost/work-per-change.test.ts': 7,
  'test/unit/cost/work-per-listener.test.ts': 6,
  'test/unit/ingress/convert-properties.test.ts': 4,
  'test/unit/ingress/native/native-ingresses.test.ts': 2,
  'test/unit/shared-limits/leases.test.ts': 1,
  'test/unit/xds/guards.test.ts': 3,
  'test/unit/xds/moving-demands.test.ts': 1,
  'test/unit/xds/slot-lists.test.ts': 3,
  'test/unit/yaml/read-yaml.test.ts': 1,
};

/** The environment variable that is `few` in `npm test`. */
export const repetitionsVariable = 'GATEWRIGHT_TEST_REPETITIONS';
