import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheDir, crdDir, inferenceCrdDir, jsonCrdDir, monitoringDir, olderGatewayApis, versions } from '../paths.mjs';
import { ensureGo, GO_ENVIRONMENT } from './go.mjs';
import { timed } from './progress.mjs';
import { locked, publish } from './publish.mjs';
import { run } from './run.mjs';

const INFERENCE = `sigs.k8s.io/gateway-api-inference-extension@v${versions.INFERENCE_EXTENSION}`;
const MONITORING = `github.com/prometheus-operator/prometheus-operator@v${versions.PROMETHEUS_OPERATOR}`;
/** What our charts have objects of. */
const MONITORING_KINDS = ['servicemonitors', 'podmonitors', 'prometheusrules'];
const CHANNELS = /** @type {const} */ (['standard', 'experimental']);

/**
 * Sees to it that the Gateway API's definitions of both channels are in the cache, from its Go module.
 * @param {string} version
 */
export async function ensureCrds(version = versions.GATEWAY_API) {
  const folder = dirname(crdDir('standard', version));
  if (existsSync(folder)) return;
  await locked(join(cacheDir(), 'crds/lock'), async () => {
    if (existsSync(folder)) return;
    const go = await ensureGo(`the Gateway API's resource definitions; or have Go ${versions.GO} or newer on PATH`);
    await timed(`fetching the definitions of Gateway API ${version}`, async () => {
      const source = join(await moduleDir(go, `sigs.k8s.io/gateway-api@v${version}`), 'config/crd');
      await publish(folder, async (temporary) => {
        for (const channel of CHANNELS) copyDefinitions(join(source, channel), join(temporary, channel));
      });
    });
  });
}

/** Sees to it that older definitions of the Gateway API, which only tests need, are in the cache. */
export async function ensureOlderCrds() {
  for (const version of olderGatewayApis) await ensureCrds(version);
}

/** Sees to it that the definition of InferencePools is in the cache, from the Go module of the Inference Extension. */
export async function ensureInferenceCrds() {
  const folder = inferenceCrdDir();
  if (existsSync(folder)) return;
  await locked(join(cacheDir(), 'crds/lock'), async () => {
    if (existsSync(folder)) return;
    const go = await ensureGo(
      `the Inference Extension's resource definitions; or have Go ${versions.GO} or newer on PATH`,
    );
    await timed(`fetching the definitions of Inference Extension ${versions.INFERENCE_EXTENSION}`, async () => {
      const source = join(await moduleDir(go, INFERENCE), 'config/crd/bases');
      await publish(folder, async (temporary) => {
        const file = 'inference.networking.k8s.io_inferencepools.yaml';
        copyFileSync(join(source, file), join(temporary, file));
      });
    });
  });
}

/** Sees to it that the cache also has the definitions as the program reads them: they are most of what a command over files would parse. */
export async function ensureJsonCrds() {
  const folder = jsonCrdDir();
  if (existsSync(folder)) return;
  await locked(join(cacheDir(), 'crds/lock'), async () => {
    if (existsSync(folder)) return;
    const { parseAllDocuments } = await import('yaml');
    await publish(folder, async (temporary) => {
      const folders = [crdDir('experimental'), inferenceCrdDir()];
      const files = folders.flatMap((source) => readdirSync(source).map((file) => join(source, file)));
      for (const file of files) {
        for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
          const definition = document.toJS();
          if (definition)
            writeFileSync(join(temporary, `${definition.metadata.name}.json`), JSON.stringify(definition));
        }
      }
    });
  });
}

/** Sees to it that the Prometheus Operator's definitions, which tests hold our charts against, are in the cache. */
export async function ensureMonitoringCrds() {
  if (existsSync(monitoringDir())) return;
  await locked(join(cacheDir(), 'prometheus-operator/lock'), async () => {
    if (existsSync(monitoringDir())) return;
    const go = await ensureGo(
      `the Prometheus Operator's resource definitions; or have Go ${versions.GO} or newer on PATH`,
    );
    await timed(`fetching the definitions of Prometheus Operator ${versions.PROMETHEUS_OPERATOR}`, async () => {
      const source = join(await moduleDir(go, MONITORING), 'example/prometheus-operator-crd');
      await publish(monitoringDir(), async (temporary) => {
        for (const kind of MONITORING_KINDS) {
          copyFileSync(join(source, `monitoring.coreos.com_${kind}.yaml`), join(temporary, `${kind}.yaml`));
        }
      });
    });
  });
}

/** @param {string} go @param {string} module @returns {Promise<string>} where Go unpacked the module */
async function moduleDir(go, module) {
  const cwd = mkdtempSync(join(tmpdir(), 'gatewright-')); // outside of any module
  try {
    return JSON.parse(await run(go, ['mod', 'download', '-json', module], { cwd, env: GO_ENVIRONMENT })).Dir;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** @param {string} from @param {string} to */
function copyDefinitions(from, to) {
  mkdirSync(to);
  for (const file of readdirSync(from).filter((name) => name.startsWith('gateway.'))) {
    copyFileSync(join(from, file), join(to, file)); // a new file, without the read-only mode of Go's cache
  }
}
