import { buildImages, type ModulesPlace } from './build-images.ts';
import { buildModuleFiles } from './build-module-files.ts';
import type { Core } from './core.ts';
import type { ModulesWatch } from './modules-watch.ts';

/** The first build waits no longer: a registry of one namespace, or a mounted directory, must not hold up all. */
const mostWaitMs = 10_000;

/** Fetches the modules that policies name, from registries and files. */
export function buildModules(core: Core, place: ModulesPlace): ModulesWatch {
  const all = [buildImages(core, place), buildModuleFiles(core)];
  return {
    observe(event) {
      for (const each of all) each.observe(event);
    },
    settled() {
      const late = new Promise<void>((resolve) => void core.clock.after(mostWaitMs, resolve));
      return Promise.race([Promise.all(all.map((each) => each.settled())), late]);
    },
    stop() {
      for (const each of all) each.stop();
    },
  };
}
