import { texts } from '../text/index.ts';

export const frameWords = texts(
  {
    skip: 'Skip to the content',
    menu: 'Menu',
    navigation: 'Pages',
    search: 'Search',
    live: 'live',
    polling: 'not live: may be some seconds old',
    away: 'no answer',
    readOnly: 'read-only',
    silent: (since: string, ago: string) =>
      `No connection to the control plane since ${since} (${ago}). You see the last known state. The page keeps trying.`,
    theme: (name: string) => `Colours: ${name}`,
    auto: 'as the system has them',
    light: 'light',
    dark: 'dark',
    notFound: 'There is no such page.',
    unavailable: 'This part is not available now.',
    unavailableWhy:
      'The control plane says that it has nothing to show here: the feature is off, or its kinds are not installed.',
    broken: 'This page failed. The rest still works.',
    reload: 'Load again',
  },
  {
    skip: 'Zum Inhalt springen',
    menu: 'Menü',
    navigation: 'Seiten',
    search: 'Suchen',
    live: 'live',
    polling: 'nicht live: kann einige Sekunden alt sein',
    away: 'keine Antwort',
    readOnly: 'nur lesen',
    silent: (since, ago) =>
      `Keine Verbindung zur Control Plane seit ${since} (${ago}). Sie sehen den letzten bekannten Stand. Die Seite versucht es weiter.`,
    theme: (name) => `Farben: ${name}`,
    auto: 'wie im System',
    light: 'hell',
    dark: 'dunkel',
    notFound: 'Diese Seite gibt es nicht.',
    unavailable: 'Dieser Teil ist gerade nicht verfügbar.',
    unavailableWhy:
      'Die Control Plane hat hier nichts zu zeigen: Die Funktion ist aus, oder ihre Kinds sind nicht installiert.',
    broken: 'Diese Seite ist ausgefallen. Der Rest funktioniert weiter.',
    reload: 'Neu laden',
  },
);
