import { notRead, pulledModuleCode } from '../../controllers/index.ts';
import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import { ModuleFiles, PullFault } from '../../images/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { Core } from './core.ts';
import { type ModulesWatch, maxModuleBytes, noModules } from './modules-watch.ts';

/** Reads the modules of the operator's directory that policies name, as policies come and go. */
export function buildModuleFiles({ graph, config, clock, trigger, logger }: Core): ModulesWatch {
  const { wasm, wasmDirectory: directory } = config.extensions;
  if (!wasm) return noModules;
  const log = componentLogger(logger, 'images');
  const files = new ModuleFiles({
    directory,
    maxBytes: maxModuleBytes(config),
    clock,
    async read(bytes) {
      const code = await pulledModuleCode(bytes);
      if (typeof code === 'string') throw new PullFault(code);
      return code;
    },
    onResult(key, file, result) {
      if (result instanceof PullFault) log.warn({ file }, `a file with a module ${result.message}`);
      graph.setCode(key, result instanceof PullFault ? notRead(file, result.message) : result);
      trigger.fireIfDirty();
    },
  });
  return {
    observe({ type, kind, object }) {
      if (kind.name !== 'ExtensionPolicy') return;
      const { spec } = object as ObjectByKind['ExtensionPolicy'];
      files.want(keyOf(object), type === 'deleted' ? undefined : spec.wasm?.file);
    },
    settled: () => files.look(),
    stop: () => files.stop(),
  };
}
