#!/usr/bin/env node
// Brings a clone into a state in which everything runs; quick when it is. Needs Node 20 and nothing installed.
// usage: node scripts/setup.mjs [--test] [--kubernetes VERSION]
//   --test: also kube-apiserver, etcd and Helm, for tests; --kubernetes: also the API server of another version, for tests of that one
import {
  ensureCrds,
  ensureInferenceCrds,
  ensureJsonCrds,
  ensureMonitoringCrds,
  ensureOlderCrds,
} from './setup/crds.mjs';
import { ensureDependencies } from './setup/dependencies.mjs';
import { ensureEnvoy, ensureOtherEnvoys } from './setup/envoy.mjs';
import { ensureGenerated } from './setup/generated.mjs';
import { ensureHelm } from './setup/helm.mjs';
import { ensureKubernetes, ensureOtherKubernetes } from './setup/kubernetes.mjs';
import { SetupError, say } from './setup/progress.mjs';

try {
  await ensureDependencies();
  await ensureEnvoy();
  await ensureCrds();
  await ensureInferenceCrds();
  await ensureJsonCrds();
  await ensureGenerated();
  if (process.argv.includes('--test')) {
    await ensureKubernetes();
    await ensureHelm();
    await ensureMonitoringCrds();
    await ensureOlderCrds();
    await ensureOtherEnvoys();
  }
  const at = process.argv.indexOf('--kubernetes');
  if (at >= 0) await ensureOtherKubernetes(process.argv[at + 1] ?? '');
} catch (error) {
  say(`error: ${error instanceof SetupError ? error.message : error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
}
