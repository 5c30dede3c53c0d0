import type { ReferencePage } from './kind-reference.ts';
import { sections } from './navigation.ts';
import { sitePathOf } from './site-path.ts';

interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Item[];
  readonly collapsed?: boolean;
}

interface SiteParts {
  readonly out: string;
  readonly base: string;
  readonly version: string;
  /** Of pages of the repository, by their path on the site. */
  readonly titles: ReadonlyMap<string, string>;
  readonly reference: {
    readonly kinds: readonly ReferencePage[];
    readonly commands: ReferencePage;
    readonly examples: readonly ReferencePage[];
  };
}

const linkTo = (path: string): string => `/${path.replace(/\.md$/, '')}`;
const itemOf = ({ path, title }: ReferencePage): Item => ({ text: title, link: linkTo(path) });

/** What VitePress is configured with, as data. */
export function siteConfig({ out, base, version, titles, reference }: SiteParts): object {
  const pageItem = (path: string): Item => ({ text: titles.get(path) ?? path, link: linkTo(path) });
  const written = sections.map(({ title, pages, isOpen = false }) => ({
    text: title,
    collapsed: !isOpen,
    items: pages.map((page) => pageItem(sitePathOf(page))),
  }));
  const made: readonly Item[] = [
    {
      text: 'Reference',
      collapsed: true,
      items: [itemOf(reference.commands), ...reference.kinds.map(itemOf)],
    },
    { text: 'Examples', collapsed: true, items: reference.examples.map(itemOf) },
  ];
  const adr = [...titles.keys()].filter((path) => path.startsWith('adr/')).map(pageItem);
  return {
    title: 'Gatewright',
    description: 'Kubernetes Gateway API on unmodified Envoy',
    lang: 'en',
    head: [
      ['link', { rel: 'icon', href: `${base}icon.svg` }],
      // The theme's own grey is too pale to read.
      ['style', {}, '.vp-doc [class*="language-"] > span.lang { color: var(--vp-c-text-2) }'],
    ],
    base,
    outDir: out,
    // The index of the search has pages in the order in which they are read, and the same sources have to make the same bytes.
    buildConcurrency: 1,
    // The address of a site is not known when it is built, so nothing says that a link to this machine is wrong.
    ignoreDeadLinks: 'localhostLinks',
    themeConfig: {
      nav: [
        { text: 'Start', link: '/start' },
        { text: 'Tasks', link: '/tasks' },
        { text: 'Reference', link: '/reference/commands' },
        { text: 'Troubleshooting', link: '/troubleshooting' },
        { text: version, link: '/project/changelog' },
      ],
      sidebar: [...written, ...made, { text: 'Decisions', collapsed: true, items: adr }],
      outline: { level: [2, 3] },
      search: { provider: 'local' },
    },
  };
}

/** Where a visitor comes in. */
export const homePage = `---
layout: home
hero:
  name: Gatewright
  text: Kubernetes Gateway API on Envoy
  tagline: Gateways, routes, policies and AI services, served by unmodified Envoy proxies. It says what is wrong, where, and what to do.
  actions:
    - {theme: brand, text: Get started, link: /start}
    - {theme: alt, text: What do you want to do?, link: /tasks}
    - {theme: alt, text: Find out what is wrong, link: /troubleshooting}
features:
  - {title: Complete, details: 'Passes the official conformance suite of the Gateway API: five profiles, nothing skipped.', link: /conformance}
  - {title: Fast, details: 'A change costs a change: with ten routes or twenty thousand.', link: /performance}
  - {title: Clear, details: 'Conditions, a web page, a command line and a chatbot explain every failure, and name the next step.', link: /page}
  - {title: Safe by default, details: 'Attack tests with real proxies stand behind each defence.', link: /security}
---
`;
