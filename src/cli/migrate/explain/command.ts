import type { Command } from 'commander';
import { guarded, print } from '../../kit/command.ts';
import type { CliIo } from '../../kit/io.ts';

/** Adds `migrate explain`. */
export function addExplain(migrate: Command, io: CliIo): void {
  migrate
    .command('explain')
    .description('what an annotation, ConfigMap key, flag or snippet directive of ingress-nginx does, and has here')
    // Flags of the controller are names here, with the dashes that its Deployment has.
    .allowUnknownOption()
    .argument('<name>', 'such as rewrite-target, use-gzip, --default-ssl-certificate or add_header')
    .action((name: string) =>
      guarded(io, async () => {
        const { explainName } = await import('./explain.ts');
        print(io, explainName(name));
      }),
    );
}
