import { managedKinds } from '../../src/admin/managed-resources/managed-kinds.ts';

const head = '| kinds, with their short names |\n|---|\n';

/** The page of managed resources with the kinds that the admin API writes, in its order. Throws where the page has no table of them. */
export function withManagedKinds(page: string): string {
  const at = page.indexOf(head);
  if (at < 0) throw new Error('the page has no table of kinds, with their short names');
  const start = at + head.length;
  const named = managedKinds.map(({ name, shortNames: [short] }) =>
    short === undefined ? name : `${name} (\`${short}\`)`,
  );
  return `${page.slice(0, start)}| ${named.join(', ')} |${page.slice(page.indexOf('\n', start))}`;
}
