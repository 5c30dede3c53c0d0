import type { ComponentType } from 'preact';
import type { Capabilities } from '../api/index.ts';
import { texts } from '../text/index.ts';

export interface PageModule {
  readonly Page: ComponentType;
}

export interface PageEntry {
  /** The first word of its address; empty for the overview. */
  readonly path: string;
  /** Pressed after `g`. */
  readonly key: string;
  readonly title: () => string;
  /** Without this capability the page says that it has nothing to show. */
  readonly needs?: keyof Capabilities;
  /** Other first words that lead here, which the navigation does not show. */
  readonly also?: readonly string[];
  readonly load: () => Promise<PageModule>;
}

const titles = texts(
  {
    overview: 'Overview',
    why: 'Why?',
    gateways: 'Gateways',
    routes: 'Routes',
    backends: 'Backends',
    proxies: 'Proxies',
    certificates: 'Certificates',
    docs: 'Documentation',
    settings: 'Settings',
  },
  {
    overview: 'Überblick',
    why: 'Warum?',
    gateways: 'Gateways',
    routes: 'Routen',
    backends: 'Backends',
    proxies: 'Proxys',
    certificates: 'Zertifikate',
    docs: 'Dokumentation',
    settings: 'Einstellungen',
  },
);

/** Every page, in the order of the navigation. A new page is a line here and a folder in `pages`. */
export const pages: readonly PageEntry[] = [
  { path: '', key: 'o', title: () => titles().overview, load: () => import('../pages/overview/page.tsx') },
  { path: 'why', key: 'w', title: () => titles().why, load: () => import('../pages/why/page.tsx') },
  {
    path: 'gateways',
    key: 'a',
    title: () => titles().gateways,
    needs: 'gateways',
    also: ['listeners'],
    load: () => import('../pages/gateways/page.tsx'),
  },
  {
    path: 'routes',
    key: 'r',
    title: () => titles().routes,
    needs: 'routes',
    load: () => import('../pages/routes/page.tsx'),
  },
  { path: 'backends', key: 'b', title: () => titles().backends, load: () => import('../pages/backends/page.tsx') },
  { path: 'proxies', key: 'p', title: () => titles().proxies, load: () => import('../pages/proxies/page.tsx') },
  {
    path: 'certificates',
    key: 'c',
    title: () => titles().certificates,
    load: () => import('../pages/certificates/page.tsx'),
  },
  { path: 'docs', key: 'd', title: () => titles().docs, load: () => import('../pages/docs/page.tsx') },
  { path: 'settings', key: 's', title: () => titles().settings, load: () => import('../pages/settings/page.tsx') },
];

/** The page of an address; undefined when there is none. */
export const pageAt = (path: string): PageEntry | undefined =>
  pages.find((entry) => entry.path === path || entry.also?.includes(path));
