/**
 * Builds the documentation site from the Markdown of the repository: static files that ask for nothing outside, search included.
 * usage: node scripts/site.ts [--out build/site] [--base /]
 */
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ownCrdDir, root } from './paths.mjs';
import { run } from './setup/run.mjs';
import { ensureSitePackages } from './setup/site-packages.mjs';
import { commandPage } from './site/command-reference.ts';
import { examplePages } from './site/example-pages.ts';
import { kindPages } from './site/kind-reference.ts';
import { decisions, sections } from './site/navigation.ts';
import { homePage, siteConfig } from './site/site-config.ts';
import { placesOf, siteMarkdown } from './site/site-markdown.ts';
import { sitePathOf } from './site/site-path.ts';

export interface SiteOptions {
  /** A folder, which is emptied first. */
  readonly out: string;
  /** The path below which a server has the site. */
  readonly base?: string;
}

/** Fills `out` with the site. */
export async function makeSite({ out, base = '/' }: SiteOptions): Promise<void> {
  const packages = await ensureSitePackages();
  // Within the repository, and one for each process: VitePress writes beside its sources.
  const source = join(root, 'build', `site-source-${process.pid}`);
  await rm(source, { recursive: true, force: true });
  try {
    await stage(source, out, base);
    await symlink(packages, join(source, 'node_modules'));
    await rm(out, { recursive: true, force: true });
    await run(process.execPath, [join(packages, 'vitepress/bin/vitepress.js'), 'build', '.'], { cwd: source });
  } finally {
    await rm(source, { recursive: true, force: true });
  }
}

/** Writes all pages, as VitePress wants them. */
async function stage(source: string, out: string, base: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const repositoryPages = [...sections.flatMap(({ pages }) => pages), ...decisions()];
  const paths = new Map(repositoryPages.map((page) => [page, sitePathOf(page)]));
  const places = placesOf(paths);
  const titles = new Map<string, string>();
  const write = async (path: string, markdown: string) => {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), markdown);
  };
  for (const [page, path] of paths) {
    const text = await readFile(join(root, page), 'utf8');
    titles.set(path, /^# (.*)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? page);
    await write(path, siteMarkdown(text, page, places));
  }
  const reference = { kinds: kindPages(ownCrdDir), commands: commandPage(version), examples: examplePages() };
  for (const { path, markdown } of [...reference.kinds, reference.commands, ...reference.examples])
    await write(path, markdown);
  await write('index.md', homePage);
  const isPicture = (path: string) => !path.endsWith('.md');
  await cp(join(root, 'docs/pictures'), join(source, 'public/pictures'), { recursive: true, filter: isPicture });
  for (const file of ['openapi.yaml', 'config.schema.json'])
    await cp(join(root, 'docs', file), join(source, 'public', file));
  await cp(join(root, 'page/icon.svg'), join(source, 'public/icon.svg'));
  await mkdir(join(source, '.vitepress'));
  // The repository's own is for another compiler.
  await writeFile(join(source, 'tsconfig.json'), '{}');
  await cp(join(root, 'site/vitepress.config.js'), join(source, '.vitepress/config.js'));
  const config = siteConfig({ out, base, version, titles, reference });
  await writeFile(join(source, '.vitepress/site.json'), JSON.stringify(config));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'build/site') },
      base: { type: 'string', default: '/' },
    },
  });
  const out = resolve(values.out);
  await makeSite({ out, base: values.base });
  console.log(out);
}
