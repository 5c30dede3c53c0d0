// Where everything is that setup fetches, builds or generates. Plain JavaScript, for setup runs on any Node from 20 on
// with nothing installed; nothing here looks at the disk except for versions.env.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The pinned versions of versions.env.
 * @type {Readonly<Record<'ENVOY' | 'ENVOY_MINOR_BEFORE' | 'ENVOY_OLD' | 'GATEWAY_API' | 'GATEWAY_API_OLDER' | 'INFERENCE_EXTENSION' | 'GO' | 'KUBERNETES' | 'KUBERNETES_OLDEST' | 'ETCD' | 'COREDNS' | 'ECHO' | 'ENVOY_GATEWAY' | 'KGATEWAY' | 'TRAEFIK' | 'ISTIO' | 'RATELIMIT' | 'HELM' | 'PROMETHEUS_OPERATOR' | 'AIOQUIC' | 'VALKEY', string>>}
 */
export const versions = Object.fromEntries(
  readFileSync(join(root, 'scripts/versions.env'), 'utf8')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => line.split('=')),
);

/** @param {string} name @param {string} otherwise the value where the variable is missing or empty */
const variable = (name, otherwise) => process.env[name] || otherwise;

/** What is fetched or built once for all clones: `$GATEWRIGHT_CACHE`, else `~/.cache/gatewright`. */
export const cacheDir = () => variable('GATEWRIGHT_CACHE', join(homedir(), '.cache/gatewright'));

/** The Envoy binary: `$ENVOY_PATH`, else the one that setup put into the cache. */
export const envoyPath = () => variable('ENVOY_PATH', join(cacheDir(), 'envoy', versions.ENVOY, 'envoy'));

/**
 * An Envoy that is not ours, for tests of what happens to it.
 * @param {string} version
 */
export const otherEnvoyPath = (version) => join(cacheDir(), 'envoy', version, 'envoy');

/** Prometheus, for tests: `$PROMETHEUS_PATH`, else the one that a test put into the cache. */
export const prometheusPath = () => variable('PROMETHEUS_PATH', join(cacheDir(), 'prometheus', 'prometheus'));

/** Valkey, for tests: `$VALKEY_PATH`, else the one that a test put into the cache. */
export const valkeyPath = () => variable('VALKEY_PATH', join(cacheDir(), 'valkey', versions.VALKEY, 'valkey-server'));

/** nginx, for tests: `$NGINX_PATH`, else the one that a test put into the cache. */
export const nginxPath = () => variable('NGINX_PATH', join(cacheDir(), 'nginx', 'nginx'));

/** PostgreSQL, for tests: `$POSTGRES_PATH`, else the one that a test put into the cache. */
export const postgresPath = () => variable('POSTGRES_PATH', join(cacheDir(), 'postgres', 'postgres'));

/** Traefik, for benches: `$TRAEFIK_PATH`, else the one in the cache. */
export const traefikPath = () => variable('TRAEFIK_PATH', join(cacheDir(), 'traefik', versions.TRAEFIK, 'traefik'));

/** Chromium, for tests of the page: `$CHROMIUM_PATH`, else the headless shell that a test put into the cache. */
export const chromiumPath = () => variable('CHROMIUM_PATH', join(cacheDir(), 'chromium-headless-shell', 'chromium'));

/**
 * The folder of the Gateway API's resource definitions.
 * @param {'standard' | 'experimental'} channel
 * @param {string} version ours unless it is given
 */
export const crdDir = (channel, version = versions.GATEWAY_API) => join(cacheDir(), 'crds', `v${version}`, channel);

/** Older versions of the Gateway API's definitions, which clusters may have. */
export const olderGatewayApis = versions.GATEWAY_API_OLDER.split(',');

/** The folder of the definitions of the Gateway API Inference Extension. */
export const inferenceCrdDir = () => join(cacheDir(), 'crds', `inference-v${versions.INFERENCE_EXTENSION}`);

/** The folder of these and of the experimental channel's definitions as JSON, which takes a hundredth of the time of YAML to read. */
export const jsonCrdDir = () =>
  join(cacheDir(), 'crds', `v${versions.GATEWAY_API}-inference-v${versions.INFERENCE_EXTENSION}-json`);

/** The folder of our own resource definitions. */
export const ownCrdDir = join(root, 'crds');

/** What test/cluster builds, and Go, in a layout of its own: see test/cluster/README.md. */
export const testbedDir = () => variable('TESTBED_CACHE', join(cacheDir(), 'testbed'));

/** The folder with kube-apiserver, etcd and kubectl: `$KUBEBUILDER_ASSETS`, else where test/cluster builds them. */
export const kubernetesDir = () => variable('KUBEBUILDER_ASSETS', join(testbedDir(), 'bin'));

/**
 * The folder with kube-apiserver of another version of Kubernetes, beside our etcd and kubectl.
 * @param {string} version such as `1.31.14`
 */
export const otherKubernetesDir = (version) => join(testbedDir(), `kubernetes-${version}`);

/** The Helm binary that tests render charts with: `$HELM_PATH`, else the one that setup fetched into the cache. */
export const helmPath = () => variable('HELM_PATH', join(cacheDir(), 'helm', versions.HELM, 'helm'));

/** The folder with the HTTP/3 client of tests, a Python package with what it needs. */
export const http3ClientDir = () => join(cacheDir(), 'aioquic', versions.AIOQUIC);

/** The folder of the Prometheus Operator's resource definitions. */
export const monitoringDir = () => join(cacheDir(), 'prometheus-operator', versions.PROMETHEUS_OPERATOR);
