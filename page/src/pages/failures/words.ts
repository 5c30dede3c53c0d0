import { texts } from '../../text/index.ts';

export const failureWords = texts(
  {
    title: 'Failures',
    intro:
      'Samples of requests that failed, the newest first. Proxies keep a bounded number each second, so that failures do not cost what the requests cost.',
    route: 'Route (KIND/NAMESPACE/NAME)',
    backend: 'Backend (NAMESPACE/SERVICE:PORT)',
    host: 'Host',
    flag: 'Flag, such as UF',
    status: 'Status, such as 503 or 5xx',
    since: 'Last',
    minutes: '15 min',
    hour: '1 h',
    day: '24 h',
    list: 'Failed requests',
    none: 'No failed request fits.',
    clear: 'Clear the filters',
  },
  {
    title: 'Fehler',
    intro:
      'Stichproben fehlgeschlagener Anfragen, die neueste zuerst. Proxys behalten jede Sekunde nur so viele, dass Fehler nicht so viel kosten wie die Anfragen.',
    route: 'Route (KIND/NAMESPACE/NAME)',
    backend: 'Backend (NAMESPACE/SERVICE:PORT)',
    host: 'Host',
    flag: 'Flag, etwa UF',
    status: 'Status, etwa 503 oder 5xx',
    since: 'Letzte',
    minutes: '15 min',
    hour: '1 h',
    day: '24 h',
    list: 'Fehlgeschlagene Anfragen',
    none: 'Keine fehlgeschlagene Anfrage passt.',
    clear: 'Filter leeren',
  },
);
