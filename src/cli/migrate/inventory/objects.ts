import {
  isAllConverted,
  objectsInventory,
  objectsInventoryMarkdown,
  objectsInventoryText,
} from '../../../migrate/index.ts';
import { CliError } from '../../kit/cli-error.ts';
import { print } from '../../kit/command.ts';
import type { CliIo } from '../../kit/io.ts';
import type { ConvertArguments } from '../convert/convert.ts';
import { mustHaveAny, readSource, sources } from '../convert/convert-objects.ts';
import type { WorldChoice } from '../read-world.ts';

/** What is chosen of a conversion changes names and ports, and no verdict. */
const usual: Omit<ConvertArguments, keyof WorldChoice | 'from'> = {
  gateway: { namespace: 'default', name: 'edge' },
  suffix: '-gatewright',
  entryPoint: [],
  ruleSyntax: 'v3',
  out: '',
  gatewayClass: 'gatewright',
  httpPort: 80,
  httpsPort: 443,
  certificates: 'reference',
  without: [],
};

/** Says what a conversion of another gateway's objects would do; writes nothing. */
export async function inventoryOfObjects(
  from: keyof typeof sources,
  choice: WorldChoice & { readonly output: 'table' | 'json' | 'markdown' | 'html' },
  io: CliIo,
): Promise<void> {
  const { output } = choice;
  if (output === 'html') throw new CliError('-o html is for ingress-nginx: use markdown, or json');
  const { title, kinds, convert } = sources[from];
  const options = { ...usual, ...choice, from };
  const { objects, unread } = await readSource(options, kinds);
  const conversion = convert(objects, options);
  mustHaveAny(title, conversion, unread);
  const found = objectsInventory(title, conversion, unread);
  const forms = {
    table: objectsInventoryText,
    markdown: objectsInventoryMarkdown,
    json: (value: typeof found) => JSON.stringify(value, null, 2),
  } as const;
  print(io, forms[output](found));
  io.setExitCode(unread.length > 0 ? 2 : isAllConverted(found) ? 0 : 1);
}
