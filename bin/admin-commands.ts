import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AdminClient, ConnectOptions, OutputFormat, RouteTestOptions, Wire } from '../src/cli/index.ts';

/** Loaded when a command runs: `--help` answers at once. */
const load = () => import('../src/cli/index.ts');
type Cli = Awaited<ReturnType<typeof load>>;

interface CommonOptions extends ConnectOptions {
  readonly output: OutputFormat;
}

/** Adds the commands that ask a running control plane. Exit codes: 0 good, 1 not as it should be, 2 it could not be found out. */
export function addAdminCommands(program: Command): void {
  asking(program, 'status', 'what is served, and all that is wrong with it; exit code 1 when something is').action(
    (options: CommonOptions) =>
      run(options, async (client, cli) => {
        const report = await cli.readStatus(client);
        print(cli.render(report, options.output, cli.statusText));
        return report.problems.length === 0;
      }),
  );
  asking(program, 'get', 'lists gateways, listeners, routes, backends, certificates or services')
    .argument('<what>', 'one of these')
    .option('-n, --namespace <namespace>', 'only of this namespace')
    .action((what: string, options: CommonOptions & { namespace?: string }) =>
      run(options, async (client, cli) => {
        const listable = cli.findListable(what);
        const query = options.namespace === undefined ? '' : `?namespace=${encodeURIComponent(options.namespace)}`;
        const rows = await client.get<readonly unknown[]>(`${listable.path}${query}`);
        print(cli.render(rows, options.output, (all) => cli.listTable(listable, all, new Date())));
        return true;
      }),
    );
  asking(program, 'nodes', 'data planes, and what they have applied').action((options: CommonOptions) =>
    run(options, async (client, cli) => {
      const nodes = await client.get<readonly Wire['node'][]>('/v1/nodes');
      print(cli.render(nodes, options.output, (all) => cli.nodesTable(all, new Date())));
      return true;
    }),
  );
  asking(program, 'sync', 'whether every connected data plane runs the newest snapshot; exit code 1 when one does not')
    .option('--wait', 'until they do')
    .option('--timeout <seconds>', 'how long to wait', number, 60)
    .option('--nodes <count>', 'how many there must be at least', number, 1)
    .action((options: CommonOptions & { wait?: boolean; timeout: number; nodes: number }) =>
      run(options, async (client, cli) => {
        const { wait = false, timeout, nodes } = options;
        const { isInSync, state } = await cli.sync(client, { wait, timeoutMs: timeout * 1_000, nodes });
        print(cli.render(state, options.output, cli.syncText));
        return isInSync;
      }),
    );
  asking(program, 'snapshot', 'the intermediate representation of all that is served').action(
    (options: CommonOptions) => showWhole(options, '/v1/snapshot'),
  );
  asking(program, 'dump', 'the Envoy resources that a data plane is sent, keys redacted')
    .argument('<node>', 'id of the data plane, as `nodes` lists it')
    .action((node: string, options: CommonOptions) =>
      showWhole(options, `/v1/snapshot?format=envoy&node=${encodeURIComponent(node)}`),
    );
  asking(program, 'route-test', 'what becomes of a request, and why; exit code 1 when no backend gets it')
    .argument('<request>', 'HOST/PATH, or http://HOST:PORT/PATH')
    .option('-X, --request <method>', 'method', 'GET')
    .option('-H, --header <header>', 'NAME: VALUE; may be repeated', repeated, [])
    .option('--gateway <gateway>', 'NAMESPACE/NAME or NAME; without it the one that does most')
    .option('--server-name <name>', 'name in the TLS handshake; without it the host')
    .action((target: string, options: CommonOptions & RouteTestOptions) =>
      run(options, async (client, cli) => {
        const result = await client.post<Wire['routeTest']>('/v1/route-test', cli.routeTestBody(target, options));
        print(cli.render(result, options.output, cli.routeTestText));
        return ['forward', 'redirect'].includes(result.outcome);
      }),
    );
  asking(program, 'mcp', 'serves what the chat can ask to MCP clients, on standard input and output').action(
    (options: CommonOptions) =>
      run(options, async (client, cli) => {
        await cli.serveMcp(client, program.version() ?? '');
        return true;
      }),
  );
  inCluster(
    program.command('precheck').description('whether Gatewright can be installed in a cluster; exit code 1 when not'),
  )
    .addOption(outputOption())
    .action((options: CommonOptions) =>
      guarded(async () => {
        const cli = await load();
        const { findings, textOf } = await cli.checkCluster(options);
        print(cli.render(findings, options.output, textOf));
        process.exitCode = findings.some(({ level }) => level === 'error') ? 1 : 0;
      }),
    );
  program
    .command('completion')
    .description('prints a script that completes commands: eval "$(gatewright completion bash)"')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) =>
      guarded(async () => {
        const commands = program.commands.map((command) => ({
          name: command.name(),
          description: command.description(),
          options: command.options.flatMap(({ long }) => long ?? []),
        }));
        print((await load()).completionScript(shell, commands));
      }),
    );
  program
    .command('version')
    .description('the version of this program')
    .action(() => print(program.version() ?? ''));
  program
    .command('explain')
    .description('what an error code, or the reason of a condition, means and what to do about it')
    .argument('<code>', 'such as NoMatchingParent or route_not_found')
    .action((code: string) => guarded(async () => print(await (await load()).explain(code))));
}

/** Prints what is too much for a table, as YAML if nothing else is said. */
const showWhole = (options: CommonOptions, path: string): Promise<void> =>
  run(options, async (client, cli) => {
    const format = options.output === 'table' ? 'yaml' : options.output;
    print(cli.render(await client.get<unknown>(path), format, String));
    return true;
  });

const outputOption = (): Option =>
  new Option('-o, --output <format>', 'how it is printed').choices(['table', 'json', 'yaml']).default('table');

const inCluster = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'of the cluster that is asked, through its API server')
    .option('--context <name>', 'of the kubeconfig');

/** A command with the options that say where the control plane is. */
const asking = (program: Command, name: string, description: string): Command =>
  inCluster(program.command(name).description(description))
    .option('--server <url>', 'of the admin API; else GATEWRIGHT_SERVER, else http://127.0.0.1:18081')
    .option('--token-file <file>', 'with the bearer token; else GATEWRIGHT_TOKEN')
    .option('-N, --install-namespace <namespace>', 'where the control plane is installed', 'gatewright-system')
    .addOption(outputOption());

const run = (options: ConnectOptions, work: (client: AdminClient, cli: Cli) => Promise<boolean>): Promise<void> =>
  guarded(async () => {
    const cli = await load();
    await cli.withAdmin(options, process.env, async (client) => {
      process.exitCode = (await work(client, cli)) ? 0 : 1;
    });
  });

async function guarded(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'CliError') throw error;
    process.stderr.write(`gatewright: ${error.message}\n`);
    process.exitCode = 2;
  }
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function number(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('it is not a number of at least 0');
}

const repeated = (value: string, before: readonly string[]): string[] => [...before, value];
