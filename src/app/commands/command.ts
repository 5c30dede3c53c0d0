import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AdminClient, ConnectOptions, OutputFormat } from '../../cli/index.ts';

/** Loaded when a command runs: `--help` answers at once. */
export const load = () => import('../../cli/index.ts');
export type Cli = Awaited<ReturnType<typeof load>>;

/** What every command takes that asks a control plane. */
export interface CommonOptions extends ConnectOptions {
  readonly output: OutputFormat;
}

/** Prints what is too much for a table, as YAML if nothing else is said. */
export const showWhole = (options: CommonOptions, path: string): Promise<void> =>
  run(options, async (client, cli) => {
    const format = options.output === 'table' ? 'yaml' : options.output;
    print(cli.render(await client.get<unknown>(path), format, String));
    return true;
  });

/** `-o table|json|yaml` */
export const outputOption = (): Option =>
  new Option('-o, --output <format>', 'how it is printed').choices(['table', 'json', 'yaml']).default('table');

/** A command with the options that say which cluster it is about. */
export const inCluster = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'of the cluster that is asked, through its API server')
    .option('--context <name>', 'of the kubeconfig');

/** A command with the options that say where the control plane is. */
export const asking = (program: Command, name: string, description: string): Command =>
  inCluster(program.command(name).description(description))
    .option('--server <url>', 'of the admin API; else GATEWRIGHT_SERVER, else http://127.0.0.1:18081')
    .option('--token-file <file>', 'with the bearer token; else GATEWRIGHT_TOKEN')
    .option('-N, --install-namespace <namespace>', 'where the control plane is installed', 'gatewright-system')
    .addOption(outputOption());

/** Does the work of a command; its exit code is 0 when that gives true, else 1, and 2 when it could not be done. */
export const run = (
  options: ConnectOptions,
  work: (client: AdminClient, cli: Cli) => Promise<boolean>,
): Promise<void> =>
  guarded(async () => {
    const cli = await load();
    await cli.withAdmin(options, process.env, async (client) => {
      process.exitCode = (await work(client, cli)) ? 0 : 1;
    });
  });

/** What a person can do something about is one line on standard error, and exit code 2. */
export async function guarded(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // What is ours comes with its stack.
    if (!(error instanceof Error) || !(error.name === 'CliError' || 'code' in error)) throw error;
    process.stderr.write(`gatewright: ${error.message}\n`);
    process.exitCode = 2;
  }
}

/** One text on standard output, and the end of its last line. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** A number of at least 0, out of an argument. */
export function number(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('it is not a number of at least 0');
}

/** Gathers the values of an option that is given several times. */
export const repeated = (value: string, before: readonly string[]): string[] => [...before, value];
