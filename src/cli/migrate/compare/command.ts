import { Option } from 'commander';
import { guarded, number } from '../../kit/command.ts';
import type { CommandModule } from '../../kit/io.ts';
import { readingWorld } from '../read-world.ts';
import type { CompareOptions } from './compare-options.ts';

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

export const addCompare: CommandModule = (migrate, io) =>
  readingWorld(
    migrate
      .command('compare')
      .description(
        'asks ingress-nginx and Gatewright the same, and explains each difference; exit code 1 when one is not',
      )
      .option('--from <address>', 'of ingress-nginx: HOST[:HTTP_PORT[:HTTPS_PORT]]')
      .option('--to <address>', 'of Gatewright, in the same form')
      .option('--offline', 'sends nothing: compares a model of ingress-nginx with converted files'),
  )
    .option('--converted <path...>', 'with --offline: files or directories with what they were converted to')
    .option('--requests <file>', 'an access log of nginx, or a HAR file, in place of made-up requests')
    .option('--methods <list>', 'that are sent', list, ['GET', 'HEAD', 'OPTIONS'])
    .option('--unsafe-hosts <list>', 'hosts that may get methods such as POST, which may change something', list, [])
    .option('--rate <count>', 'requests a second', number, 20)
    .option('--limit <count>', 'requests in all', number, 5_000)
    .option('--timeout <seconds>', 'for one answer', number, 10)
    .option('--with-body', 'compares the bodies of answers, too')
    .addOption(
      new Option('-o, --output <format>', 'how it is printed')
        .choices(['table', 'json', 'markdown', 'html'])
        .default('table'),
    )
    .action((options: CompareOptions) =>
      guarded(io, async () => {
        const { compare } = await import('./compare.ts');
        await compare(options, io);
      }),
    );
