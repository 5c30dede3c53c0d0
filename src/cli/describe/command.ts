import { asking, type CommonOptions, printed, run } from '../kit/command.ts';
import type { CommandModule } from '../kit/io.ts';

interface DescribeOptions extends CommonOptions {
  readonly namespace?: string;
}

const description =
  'all that is known of one object, what is wrong with it and the next step; exit code 1 when something is';

export const describeCommand: CommandModule = (program, io) =>
  asking(program, 'describe', description)
    .argument('<kind>', 'of a route, Gateway, ListenerSet, policy, AIService, DataPlane, Service or node; or KIND/NAME')
    .argument('[name]', 'NAME or NAMESPACE/NAME')
    .option('-n, --namespace <namespace>', 'where it is; not needed for a name that there is once')
    .action((kind: string, name: string | undefined, options: DescribeOptions) =>
      run(options, io, async (client) => {
        const [{ wantedOf }, { describeObject }, { descriptionData, descriptionLines }, { wrapped }] =
          await Promise.all([
            import('./find-object.ts'),
            import('./describe.ts'),
            import('./section.ts'),
            import('../kit/wrap.ts'),
          ]);
        const all = await describeObject(client, wantedOf(kind, name, options.namespace), new Date());
        const text = () => wrapped(descriptionLines(all), io.width).join('\n');
        await printed(io, descriptionData(all), options.output, text);
        return all.isWell;
      }),
    );
