import type { CommandModule } from '../../cli/index.ts';

export const dataPlaneCommand: CommandModule = (program) =>
  program
    .command('data-plane')
    .description('the data-plane agent; starts and supervises Envoy')
    .option('--config <file>', 'configuration file')
    .action(async ({ config }: { readonly config?: string }) => {
      const { serve } = await import('../process/index.ts');
      await serve(config, async (parts) => (await import('../data-plane/index.ts')).startDataPlane(parts));
    });
