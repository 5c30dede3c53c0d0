import { Command, Option } from 'commander';
import { addAdminCommands } from './commands/admin-commands.ts';
import { checkConfig } from './commands/check-config.ts';
import { addFileCommands } from './commands/file-commands.ts';
import type { BuildAddOns } from './control-plane/index.ts';
import { forceExit, serve, version } from './process/index.ts';

export interface ProgramOptions {
  /** What a control plane is built with besides; nothing by default. */
  readonly loadAddOns?: () => Promise<BuildAddOns | undefined>;
}

/** Does what the command line asks for. Each command loads what it needs: `--help` and a faulty configuration answer at once. */
export async function main({ loadAddOns = async () => undefined }: ProgramOptions): Promise<void> {
  forceExit();

  const program = new Command('gatewright').description('Kubernetes Gateway API, served by Envoy').version(version);

  program
    .command('run')
    .description('everything in one process tree, no cluster: control plane over a directory of YAML, agent, Envoy')
    .requiredOption('-f, --file <path>', 'directory of YAML files, or one file')
    .option('--config <file>', 'configuration file')
    .action(({ file, config }: { file: string; config?: string }) =>
      serve(config, async (parts) =>
        (await import('./run/index.ts')).startRun({ ...parts, path: file, buildAddOns: await loadAddOns() }),
      ),
    );

  program
    .command('control-plane')
    .description('the operator, in a cluster; with `source.directory`, over a directory of YAML for proxies elsewhere')
    .option('--config <file>', 'configuration file')
    .action(({ config }: { config?: string }) =>
      serve(config, async (parts) =>
        parts.config.source.kind === 'directory'
          ? (await import('./run/index.ts')).startDirectoryControlPlane(parts, await loadAddOns())
          : (await import('./operator/index.ts')).startOperator(parts, { buildAddOns: await loadAddOns() }),
      ),
    );

  program
    .command('data-plane')
    .description('the data-plane agent; starts and supervises Envoy')
    .option('--config <file>', 'configuration file')
    .action(({ config }: { config?: string }) =>
      serve(config, async (parts) => (await import('./data-plane/index.ts')).startDataPlane(parts)),
    );

  program
    .command('validate')
    .description('judge files as the program reads them, with no cluster; exit code 0: valid, 1: not, 2: cannot tell')
    .argument('<path...>', 'files, or directories of YAML and JSON files')
    .addOption(
      new Option('-o, --output <format>', 'how findings are printed').choices(['text', 'json']).default('text'),
    )
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (paths: string[], options: { output: 'text' | 'json' }) => {
      process.exitCode = await (await import('./commands/validate.ts')).validate(paths, options, process.env);
    });

  program
    .command('config')
    .description('the configuration file')
    .command('check')
    .description('says what is wrong with a configuration file, or that nothing is; starts nothing')
    .option('--config <file>', 'configuration file')
    .action(({ config }: { config?: string }) => checkConfig(config));

  addAdminCommands(program);
  addFileCommands(program);

  await program.parseAsync();
}
