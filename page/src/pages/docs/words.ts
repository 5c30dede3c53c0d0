import { texts } from '../../text/index.ts';

export const docsWords = texts(
  {
    title: 'Documentation',
    contents: 'Contents',
    back: 'All pages',
    gone: 'There is no such page of the documentation.',
    english: 'The documentation of this release.',
    reference: 'Reference of the admin API',
    onThisPage: 'On this page',
    failed: 'The page could not be loaded.',
  },
  {
    title: 'Dokumentation',
    contents: 'Inhalt',
    back: 'Alle Seiten',
    gone: 'Diese Seite gibt es in der Dokumentation nicht.',
    english: 'Die Dokumentation dieses Releases, auf Englisch.',
    reference: 'Referenz der Admin-API',
    onThisPage: 'Auf dieser Seite',
    failed: 'Die Seite konnte nicht geladen werden.',
  },
);
