import { type CommonOptions, guarded, inCluster, outputOption, printed } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';
import type { InstallChoice } from './check-cluster.ts';

export const precheckCommand: CommandModule = (program, io) =>
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
      guarded(io, async () => {
        const { checkCluster } = await import('./check-cluster.ts');
        const { findings, textOf } = await checkCluster(options);
        await printed(io, findings, options.output, textOf);
        io.setExitCode(findings.some(({ level }) => level === 'error') ? 1 : 0);
      }),
    );
