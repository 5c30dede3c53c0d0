import type { ReadonlySignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Capabilities } from '../api/index.ts';
import { capabilities, mayWrite } from '../session/index.ts';
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
  /** Left out of the navigation while it is false. */
  readonly isOffered?: ReadonlySignal<boolean>;
  readonly load: () => Promise<PageModule>;
}

const titles = texts(
  {
    overview: 'Overview',
    why: 'Why?',
    traffic: 'Traffic',
    failures: 'Failures',
    changes: 'Changes',
    map: 'Map',
    ai: 'AI',
    gateways: 'Gateways',
    routes: 'Routes',
    backends: 'Backends',
    proxies: 'Proxies',
    certificates: 'Certificates',
    policies: 'Policies',
    chat: 'Chat',
    edit: 'Editor',
    docs: 'Documentation',
    settings: 'Settings',
  },
  {
    overview: 'Überblick',
    why: 'Warum?',
    traffic: 'Verkehr',
    failures: 'Fehler',
    changes: 'Änderungen',
    map: 'Karte',
    ai: 'KI',
    gateways: 'Gateways',
    routes: 'Routen',
    backends: 'Backends',
    proxies: 'Proxys',
    certificates: 'Zertifikate',
    policies: 'Richtlinien',
    chat: 'Chat',
    edit: 'Editor',
    docs: 'Dokumentation',
    settings: 'Einstellungen',
  },
);

/** Every page, in the order of the navigation. A new page is a line here and a folder in `pages`. */
export const pages: readonly PageEntry[] = [
  { path: '', key: 'o', title: () => titles().overview, load: () => import('../pages/overview/page.tsx') },
  { path: 'why', key: 'w', title: () => titles().why, load: () => import('../pages/why/page.tsx') },
  { path: 'traffic', key: 't', title: () => titles().traffic, load: () => import('../pages/traffic/page.tsx') },
  { path: 'failures', key: 'f', title: () => titles().failures, load: () => import('../pages/failures/page.tsx') },
  { path: 'changes', key: 'n', title: () => titles().changes, load: () => import('../pages/changes/page.tsx') },
  {
    path: 'map',
    key: 'm',
    title: () => titles().map,
    needs: 'topology',
    load: () => import('../pages/map/page.tsx'),
  },
  { path: 'ai', key: 'i', title: () => titles().ai, needs: 'aiOverview', load: () => import('../pages/ai/page.tsx') },
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
  { path: 'policies', key: 'l', title: () => titles().policies, load: () => import('../pages/policies/page.tsx') },
  {
    path: 'chat',
    key: 'h',
    title: () => titles().chat,
    needs: 'chatbot',
    load: () => import('../pages/chat/page.tsx'),
  },
  {
    path: 'edit',
    key: 'e',
    title: () => titles().edit,
    isOffered: mayWrite,
    load: () => import('../pages/edit/page.tsx'),
  },
  { path: 'docs', key: 'd', title: () => titles().docs, load: () => import('../pages/docs/page.tsx') },
  { path: 'settings', key: 's', title: () => titles().settings, load: () => import('../pages/settings/page.tsx') },
];

/** Those that the user can do something with. */
export const offeredPages = (): readonly PageEntry[] =>
  pages.filter(
    ({ isOffered, needs }) =>
      (isOffered?.value ?? true) && (needs === undefined || capabilities.value?.[needs] !== false),
  );

/** The page of an address; undefined when there is none. */
export const pageAt = (path: string): PageEntry | undefined =>
  pages.find((entry) => entry.path === path || entry.also?.includes(path));
