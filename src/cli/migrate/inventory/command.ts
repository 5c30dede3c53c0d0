import { type Command, Option } from 'commander';
import { guarded, print } from '../../kit/command.ts';
import type { CliIo } from '../../kit/io.ts';
import { readingWorld, type WorldChoice } from '../read-world.ts';

interface InventoryOptions extends WorldChoice {
  readonly from: 'ingress-nginx' | 'envoy-gateway' | 'traefik';
  readonly output: 'table' | 'json' | 'markdown' | 'html';
}

/** Adds `migrate inventory`. */
export function addInventory(migrate: Command, io: CliIo): void {
  readingWorld(
    migrate
      .command('inventory')
      .description(
        'what a move from another gateway does to each of its objects; exit code 0: nothing to decide, 1: something, 2: not all was read',
      ),
  )
    .addOption(
      new Option('--from <what>', 'whose objects are looked at')
        .choices(['ingress-nginx', 'envoy-gateway', 'traefik'])
        .default('ingress-nginx'),
    )
    .addOption(
      new Option('-o, --output <format>', 'how it is printed')
        .choices(['table', 'json', 'markdown', 'html'])
        .default('table'),
    )
    .action((options: InventoryOptions) =>
      guarded(io, async () => {
        if (options.from === 'ingress-nginx') return inventory(options, io);
        const { inventoryOfObjects } = await import('./objects.ts');
        return inventoryOfObjects(options.from, options, io);
      }),
    );
}

async function inventory(options: InventoryOptions, io: CliIo): Promise<void> {
  const [{ inventoryHtml, inventoryMarkdown, inventoryOf, inventoryText, isClear, judge }, { readWorld }] =
    await Promise.all([import('../../../ingress/index.ts'), import('../read-world.ts')]);
  const { world, unread } = await readWorld(options);
  const found = inventoryOf(judge(world), unread);
  const forms = {
    table: inventoryText,
    markdown: inventoryMarkdown,
    html: inventoryHtml,
    json: (value: typeof found) => JSON.stringify(value, null, 2),
  } as const;
  print(io, forms[options.output](found));
  for (const line of noteMissing(found)) io.writeError(`gatewright: ${line}\n`);
  io.setExitCode(unread.length > 0 ? 2 : isClear(found) ? 0 : 1);
}

function* noteMissing({
  controller,
  counts,
}: {
  readonly controller: { readonly workload: string | null; readonly className: string };
  readonly counts: { readonly ingresses: number; readonly otherClasses: number };
}): Generator<string> {
  if (controller.workload === null)
    yield 'no Deployment or DaemonSet of ingress-nginx was found: its defaults are taken; name the class with --class and the ConfigMap with --configmap';
  if (counts.ingresses === 0 && counts.otherClasses > 0)
    yield `none of ${counts.otherClasses} Ingresses is of class ${controller.className}: name another one with --class`;
}
