import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AdminClient } from './admin-client.ts';
import type { ConnectOptions } from './connect.ts';
import type { CliIo } from './io.ts';
import type { OutputFormat } from './output.ts';

/** Options of every command that asks a control plane. */
export interface CommonOptions extends ConnectOptions {
  readonly output: OutputFormat;
}

/** `-o table|json|yaml`, and what else there is. */
export const outputOption = (...more: readonly OutputFormat[]): Option =>
  new Option('-o, --output <format>', 'how it is printed').choices(['table', ...more, 'json', 'yaml']).default('table');

/** A command with the options that say which cluster it is about. */
export const inCluster = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'of the cluster that is asked, through its API server')
    .option('--context <name>', 'of the kubeconfig');

/** A command with the options that say where the control plane is. */
export const reaching = (command: Command): Command =>
  inCluster(command)
    .option('--server <url>', 'of the admin API; else GATEWRIGHT_SERVER, else http://127.0.0.1:18081')
    .option('--token-file <file>', 'with the bearer token; else GATEWRIGHT_TOKEN')
    .option('-N, --install-namespace <namespace>', 'where the control plane is installed', 'gatewright-system');

/** A command that asks it, and prints the answer. */
export const asking = (
  program: Command,
  name: string,
  description: string,
  ...formats: readonly OutputFormat[]
): Command => reaching(program.command(name).description(description)).addOption(outputOption(...formats));

/** Does the work of a command that asks a control plane. The exit code is 0 when that gives true, 1 when false, and 2 when it cannot be done. */
export const run = (
  options: ConnectOptions,
  io: CliIo,
  work: (client: AdminClient) => Promise<boolean>,
): Promise<void> =>
  guarded(io, async () => {
    const { withAdmin } = await import('./connect.ts');
    await withAdmin(options, io.env, async (client) => io.setExitCode((await work(client)) ? 0 : 1));
  });

/** Prints what is too much for a table, as YAML unless another format is asked for. */
export const showWhole = (options: CommonOptions, io: CliIo, path: string): Promise<void> =>
  run(options, io, async (client) => {
    const format = options.output === 'table' ? 'yaml' : options.output;
    await printed(io, await client.get<unknown>(path), format, String);
    return true;
  });

/** Prints a value, for people or for programs. */
export async function printed<T>(
  io: CliIo,
  value: T,
  format: OutputFormat,
  forPeople: (value: T) => string,
): Promise<void> {
  const { render } = await import('./output.ts');
  print(io, render(value, format, forPeople));
}

/** What a person can do something about is one line on standard error, and exit code 2. */
export async function guarded(io: CliIo, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // A fault of ours comes with its stack.
    if (!(error instanceof Error) || !(error.name === 'CliError' || 'code' in error)) throw error;
    io.writeError(`gatewright: ${error.message}\n`);
    io.setExitCode(2);
  }
}

/** One text on standard output, and the end of its last line; an empty text has no line. */
export const print = (io: Pick<CliIo, 'write'>, text: string): void => io.write(text === '' ? '' : `${text}\n`);

/** A number of at least 0, out of an argument. */
export function number(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('it is not a number of at least 0');
}

/** Gathers the values of an option that is given several times. */
export const repeated = (value: string, before: readonly string[]): string[] => [...before, value];
