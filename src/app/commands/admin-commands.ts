import type { Command } from 'commander';
import type { InstallChoice, RouteTestOptions, Wire } from '../../cli/index.ts';
import {
  asking,
  type CommonOptions,
  guarded,
  inCluster,
  load,
  number,
  outputOption,
  print,
  repeated,
  run,
  showWhole,
} from './command.ts';
import { type WatchOptions, watchable, watchRows, watchText } from './watch-command.ts';

/** Adds the commands that ask a running control plane. Exit codes: 0 good, 1 not as it should be, 2 it could not be found out. */
export function addAdminCommands(program: Command): void {
  watchable(
    asking(program, 'status', 'what is served, and all that is wrong with it; exit code 1 when something is'),
  ).action((options: WatchOptions) =>
    run(options, async (client, cli) => {
      const read = () => cli.readStatus(client);
      const text = (report: Awaited<ReturnType<typeof read>>) => cli.render(report, options.output, cli.statusText);
      if (options.watch) return await watchText(client, cli, { options, read, text });
      const report = await read();
      print(text(report));
      return report.problems.length === 0;
    }),
  );
  watchable(asking(program, 'get', 'lists gateways, listeners, routes, backends, certificates or services'))
    .argument('<what>', 'one of these')
    .option('-n, --namespace <namespace>', 'only of this namespace')
    .action((what: string, options: WatchOptions & { namespace?: string }) =>
      run(options, async (client, cli) => {
        const listable = cli.findListable(what);
        const query = options.namespace === undefined ? '' : `?namespace=${encodeURIComponent(options.namespace)}`;
        const read = () => client.get<readonly unknown[]>(`${listable.path}${query}`);
        const text = (rows: readonly unknown[]) =>
          cli.render(rows, options.output, (all) => cli.listTable(listable, all, new Date()));
        if (options.watch) return await watchRows(client, cli, { options, read, text, columns: listable.columns });
        print(text(await read()));
        return true;
      }),
    );
  watchable(asking(program, 'nodes', 'data planes, what they have applied, and what they refuse'))
    .option('--clear <node>', 'offers a data plane once more what it refused')
    .option('--gateway <gateway>', 'NAMESPACE/NAME: with --clear, which of the data planes with this id')
    .action((options: WatchOptions & { clear?: string; gateway?: string }) =>
      run(options, async (client, cli) => {
        if (options.clear !== undefined) {
          const query = options.gateway === undefined ? '' : `?gateway=${encodeURIComponent(options.gateway)}`;
          const path = `/v1/nodes/${encodeURIComponent(options.clear)}/refusals${query}`;
          const cleared = await client.delete<Wire['offeredAgain']>(path);
          print(cli.render(cleared, options.output, cli.offeredAgainText));
          return true;
        }
        const read = () => client.get<readonly Wire['node'][]>('/v1/nodes');
        const text = (nodes: readonly Wire['node'][]) =>
          cli.render(nodes, options.output, (all) => cli.nodesTable(all, new Date()));
        if (options.watch)
          return await watchRows(client, cli, {
            options,
            read,
            text,
            columns: cli.nodeColumns,
            types: 'node,snapshot',
          });
        print(text(await read()));
        return true;
      }),
    );
  watchable(
    asking(
      program,
      'sync',
      'whether every connected data plane runs the newest snapshot; exit code 1 when one does not',
    ),
  )
    .option('--wait', 'until they do')
    .option('--timeout <seconds>', 'how long to wait', number, 60)
    .option('--nodes <count>', 'how many there must be at least', number, 1)
    .action((options: WatchOptions & { wait?: boolean; timeout: number; nodes: number }) =>
      run(options, async (client, cli) => {
        const { wait = false, timeout, nodes } = options;
        const text = (state: Wire['sync']) => cli.render(state, options.output, cli.syncText);
        if (options.watch) {
          const read = () => client.get<Wire['sync']>('/v1/snapshot-sync');
          return await watchText(client, cli, { options, read, text, types: 'node,snapshot' });
        }
        const { isInSync, state } = await cli.sync(client, { wait, timeoutMs: timeout * 1_000, nodes });
        print(text(state));
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
  asking(program, 'collect', 'everything that helps to find out what is wrong, without secrets, in one archive')
    .option('-f, --file <file>', 'the archive; else gatewright-TIME.tar.gz here')
    .option('--metrics <url>', 'of the metrics listener; else port 18082 where the admin API is')
    .action((options: CommonOptions & { file?: string; metrics?: string }) =>
      run(options, async (client, cli) => {
        const now = new Date();
        const file = options.file ?? `gatewright-${now.toISOString().replaceAll(/[:.]/g, '-')}.tar.gz`;
        await cli.withTexts(options, process.env, client, async (texts) => {
          const collected = await cli.collect(client, { file, version: program.version() ?? '', now, texts });
          print(cli.render(collected, options.output, cli.collectedText));
        });
        return true;
      }),
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
    .option('--namespaces <list>', 'of an install that reads these alone: NAMESPACE,NAMESPACE')
    .option('--proxies-namespace <namespace>', 'of an install whose proxies all run there')
    .option('-N, --install-namespace <namespace>', 'where the control plane is or will be', 'gatewright-system')
    .option('--gateway-class <name>', 'the class of an install that is limited to namespaces', 'gatewright')
    .option('--running', 'asks for the rights of the control plane, not of who installs it')
    .option('--as <user>', 'that is the control plane: system:serviceaccount:NAMESPACE:NAME; the same with --running')
    .addOption(outputOption())
    .action((options: CommonOptions & InstallChoice) =>
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
