import type { CommandModule } from '../../cli/index.ts';
import type { LoadAddOns } from '../control-plane/index.ts';

export const controlPlaneCommand =
  (loadAddOns: LoadAddOns): CommandModule =>
  (program) =>
    program
      .command('control-plane')
      .description(
        'the operator, in a cluster; with `source.directory`, over a directory of YAML for proxies elsewhere',
      )
      .option('--config <file>', 'configuration file')
      .action(async ({ config }: { readonly config?: string }) => {
        const { serve } = await import('../process/index.ts');
        await serve(config, async (parts) => {
          const buildAddOns = await loadAddOns();
          if (parts.config.source.kind === 'directory')
            return await (await import('../run/index.ts')).startDirectoryControlPlane(parts, buildAddOns);
          return await (await import('../operator/index.ts')).startOperator(parts, { buildAddOns });
        });
      });
