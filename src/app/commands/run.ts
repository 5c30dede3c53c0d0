import { type CommandModule, checkGivenPaths, guarded, nameManifests } from '../../cli/index.ts';
import type { LoadAddOns } from '../control-plane/index.ts';

export const runCommand =
  (loadAddOns: LoadAddOns): CommandModule =>
  (program, io) =>
    program
      .command('run')
      .description('everything in one process tree, no cluster: control plane over a directory of YAML, agent, Envoy')
      .requiredOption('-f, --file <path>', 'directory of YAML files, or one file')
      .option('--config <file>', 'configuration file')
      .action(async ({ file, config }: { readonly file: string; readonly config?: string }) => {
        await guarded(io, async () => {
          await checkGivenPaths([file], nameManifests);
          const { serve } = await import('../process/index.ts');
          await serve(config, async (parts) => {
            const { startRun } = await import('../run/index.ts');
            return await startRun({ ...parts, path: file, buildAddOns: await loadAddOns() });
          });
        });
      });
