import { pickWords } from '../../../../contracts/words/index.ts';
import type { Texts } from './en.ts';
import { nextInGerman } from './next-de.ts';

/** `1 Route`, `2 Routen`. */
const n = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

export const de: Texts = {
  next: nextInGerman,
  more: (count) => `… und ${count} weitere.`,
  because: 'Ursache',
  notFoundOut: (why) => `Das ließ sich nicht herausfinden: ${why}.`,

  allRight: (gateways, routes, proxies) =>
    `Alles ist in Ordnung: Es gibt keine Probleme. ${n(gateways, 'Gateway', 'Gateways')}, ${n(routes, 'Route', 'Routen')} und ${n(proxies, 'Proxy', 'Proxys')} auf der neuesten Konfiguration.`,
  noProblemIn: (what) => `In ${what} gibt es keine Probleme.`,
  noneOfArea: (area) => `Kein Problem im Bereich „${area}“.`,
  otherProblems: (count) => `Anderswo gibt es ${n(count, 'Problem', 'Probleme')}: Frage „Was ist kaputt?“.`,
  problems: (failing, warnings) =>
    `${[failing > 0 && n(failing, 'Problem', 'Probleme'), warnings > 0 && n(warnings, 'Warnung', 'Warnungen')].filter(Boolean).join(' und ')}, das Schlimmste zuerst:`,
  notKnownYet: 'Noch nicht bekannt: Es gibt noch keinen Snapshot.',
  also: (count) => `(und ${count} weitere mit demselben Problem)`,

  nothingWrong: (what) => `${what} hat keine Probleme.`,
  faults: (what, count) => `${what} hat ${n(count, 'Problem', 'Probleme')}:`,
  related: 'Auch das, wovon es abhängt, hat Probleme:',
  noSuch: (name) => `„${name}“ gibt es hier nicht.`,
  noSuchKind: (kind, name) => `${kind} „${name}“ gibt es hier nicht.`,
  didYouMean: (names) => `Meintest du ${names}?`,
  named: (name) => `„${name}“ wird genannt von:`,
  or: ' oder ',
  hostnames: (hosts) => `Hostnamen: ${hosts}`,
  anyHost: 'die seiner Listener',
  attachedAt: (parents) => `angehängt an ${parents}`,
  attachedNowhere: 'nirgends angehängt: Kein Gateway von uns nimmt sie an',
  endpointsReady: (port, ready, all) => `Port ${port}: ${ready} von ${all} Endpunkten sind bereit`,
  notUsed: (what) => `Keine Route leitet an ${what} weiter, also ist über seine Endpunkte nichts bekannt.`,

  request: (asked, gateway, port, listener, outcome) =>
    `${asked} an Gateway ${gateway}, Port ${port}${listener === null ? '' : `, Listener ${listener}`}: **${outcome}**`,
  shareUnresolved: (share, status) =>
    `${share} werden mit ${status} beantwortet: Der Verweis auf das Backend führt ins Leere`,
  share: (share, backend, endpoints, status) =>
    `${share} gehen an ${backend}${endpoints === null ? '' : ` mit ${n(endpoints, 'bereiten Endpunkt', 'bereiten Endpunkten')}`}${status === null ? '' : `: Antwort ${status}`}`,
  pickedBy: (picker, failsOpen) =>
    `; der Picker ${picker} wählt, und ohne ihn ${failsOpen ? 'antwortet irgendein Endpunkt' : 'ist die Antwort 503'}`,
  pickedLately: (requests, endpoint, outcome) =>
    `; zuletzt ${n(requests, 'Anfrage', 'Anfragen')}: ${endpoint === null ? '' : `${endpoint}, `}${pickWords.de[outcome]}`,
  candidates: 'Regeln für diesen Host, und warum sie nicht passen:',
  hints: 'Was als Nächstes anzusehen ist:',
  foundProblems: 'Probleme auf dem Weg:',
  whichRequest: (status) =>
    `Nenne den Host, etwa „Warum bekommt shop.example.com/cart ${status ?? 404}?“, dann sehe ich nach, was die Proxys mit der Anfrage machen.`,
  noProblemMakes: (status) => `Kein bekanntes Problem führt gerade zu ${status}.`,
  statusMeans: (status) => `Flags in Envoys Access-Log, die zu ${status} gehören:`,
  statusUnknown: (status) => `Zu ${status} allein gehört kein Flag: Vielleicht hat das Backend so geantwortet.`,
  demandedOf: (what) => `Anfragen an ${what} müssen erfüllen:`,
  everyClientMayCall: (what) => `Jeder darf ${what} aufrufen: Keine AccessPolicy gilt dafür oder für die Gateways.`,
  unguardedRules: (labels) => `Regeln ${labels}: Jeder darf sie aufrufen`,
  openRoutes: (count) =>
    `${count} ${count === 1 ? 'Route braucht' : 'Routen brauchen'} keine Anmeldung, zumindest in diesen Regeln:`,
  noOpenRoutes: 'Jede Route verlangt eine Anmeldung.',
  rules: (labels) => `Regeln ${labels}`,
  noHostname: (what) =>
    `${what} hat keinen eigenen Hostnamen; frage mit einem Host, etwa „Warum bekommt HOST/PFAD 404?“.`,

  firstToEnd: 'Als Erstes läuft ab:',
  noCertificates: 'Kein Listener nennt ein Zertifikat, also kann keines ablaufen.',
  noCertificateFor: (host) => `Kein Listener hat ein Zertifikat für ${host}.`,
  certificatesFine: (count) =>
    count === 1
      ? 'Das eine Zertifikat läuft nicht in den nächsten 30 Tagen ab.'
      : `Keines von ${count} Zertifikaten läuft in den nächsten 30 Tagen ab.`,
  certificatesBad: (bad, all) =>
    `${bad} von ${n(all, 'Zertifikat', 'Zertifikaten')} ${bad === 1 ? 'braucht' : 'brauchen'} Aufmerksamkeit:`,
  certificate: {
    missing: 'fehlt: Es gibt kein solches Secret',
    unusable: 'ist nicht verwendbar',
    'not-yet-valid': 'ist noch nicht gültig',
    ended: (days, date) =>
      days === 0 ? `ist heute abgelaufen (${date})` : `ist seit ${n(days, 'Tag', 'Tagen')} abgelaufen (${date})`,
    ends: (days, date) =>
      days === 0 ? `läuft innerhalb eines Tages ab (${date})` : `läuft in ${n(days, 'Tag', 'Tagen')} ab (${date})`,
    forNames: (names) => `für ${names}`,
    usedBy: (users) => `benutzt von ${users}`,
    unused: 'von keinem Listener benutzt',
  },

  noProxies: 'Kein Proxy ist verbunden, also wird nichts bedient. Prüfe, ob Proxys laufen: `gatewright nodes`.',
  proxiesCurrent: (count, id) =>
    count === 1
      ? `Der eine Proxy hat den neuesten Snapshot (${id}).`
      : `Alle ${count} Proxys haben den neuesten Snapshot (${id}). Keiner hängt hinterher.`,
  proxiesBehind: (behind, all, id) =>
    `${behind} von ${n(all, 'Proxy', 'Proxys')} ${behind === 1 ? 'hat' : 'haben'} nicht den neuesten Snapshot (${id}):`,
  proxy: (node, gateway, state, message) => `Node ${node} (Gateway ${gateway}): ${state}: ${message}`,
  controlPlane: (version, snapshot, leader, isLeader) =>
    `Control Plane ${version}, Snapshot ${snapshot}. Diese Replik ist ${isLeader ? '' : 'nicht '}die führende (${leader}).`,

  changesSince: (time) => `Seit ${time} UTC, das Neueste zuerst:`,
  changesNewest: 'Das Neueste zuerst:',
  nothingSince: (time) =>
    `Seit ${time} UTC hat sich nichts geändert, oder seit dem Start der Control Plane, wenn der später war.`,
  nothingOf: (what) => `Von ${what} ist seit dem Start der Control Plane kein Ereignis bekannt.`,
  atLeast: 'Nur die neuesten 500 Ereignisse zählen hier; es waren mehr.',
  times: (count) => `${count}-mal`,
  event: {
    added: 'hinzugefügt',
    updated: 'geändert',
    modified: 'geändert',
    deleted: 'gelöscht',
    raised: 'Problem trat auf',
    ended: 'Problem behoben',
  },
  snapshots: (count) => `${n(count, 'neuer Snapshot', 'neue Snapshots')} für die Proxys`,

  users: (what) => `${what} wird benutzt von:`,
  noUsers: (what) => `Nichts, was bedient wird, benutzt ${what}.`,
  whoUsesWhat: 'Nenne das Objekt, etwa „Wer benutzt Service NAMESPACE/NAME?“.',
  targets: (route) => `Wohin ${route} Anfragen leitet:`,
  rule: (label, backends) => `Regel ${label}: ${backends}`,
  noBackend: 'kein Backend (Weiterleitung, oder Antwort 500)',
  noWeight: 'jedes Gewicht ist 0: Antwort 500',
  noRoute: 'Nenne die Route, etwa „Wie wird der Verkehr von HTTPRoute NAMESPACE/NAME aufgeteilt?“.',
  noPolicies: 'Es gibt keine Policies.',
  noPoliciesFor: (what) => `Keine Policy gilt für ${what}.`,
  policies: 'Policies:',
  policyFor: (targets) => `für ${targets}`,
  inEffect: 'wirksam',
  backends: 'Backends ohne bereiten Endpunkt:',
  allEndpoints: (count) =>
    count === 1 ? 'Das eine Backend hat bereite Endpunkte.' : `Alle ${count} Backends haben bereite Endpunkte.`,

  traffic: 'In den letzten fünf Minuten:',
  noData: 'keine Daten',
  noMetrics: (why) =>
    `Es gibt keine Quelle für Verkehrszahlen: ${why}. So wird sie eingestellt: docs/metrics-backend.md#settings`,
  failingTraffic: 'Gerade schlagen Anfragen fehl:',
  ai: (services, ready, requests, failed, tokens) =>
    `${n(services, 'AIService', 'AIServices')}, ${ready} bereit; ${n(requests, 'Anfrage', 'Anfragen')} in der letzten Stunde, ${failed} fehlgeschlagen, ${n(tokens, 'Token', 'Tokens')}.`,
  noBudget: 'Keine TokenPolicy setzt ein Budget.',
  budgets: 'Budgets:',
  budget: (policy, key, used, limit, unit, per, reset) =>
    `TokenPolicy ${policy}, ${key}: ${used} von ${limit} ${unit} pro ${per} verbraucht, beginnt neu um ${reset}`,
  usedUp: 'aufgebraucht: Anfragen bekommen 429',
  cost: (today, total) => `Kosten: heute ${today}, in 24 Stunden ${total}.`,
  noPrice: 'unbekannt (kein Preis)',

  noneOf: (kinds) => `Es gibt keine ${kinds}.`,
  counted: (count, kinds) => `${count} ${kinds}:`,
  notAccepted: 'nicht akzeptiert',
  whichList: 'Ich kann Routen, Gateways, Listener, Backends, Zertifikate, Proxys, Namespaces und Policies auflisten.',
  overview: (gateways, listeners, routes, backends, proxies) =>
    `${n(gateways, 'Gateway', 'Gateways')} mit ${n(listeners, 'Listener', 'Listenern')}, ${n(routes, 'Route', 'Routen')}, ${n(backends, 'Backend', 'Backends')}, ${n(proxies, 'Proxy', 'Proxys')}.`,
  noAddress: 'keine Adresse',

  code: (code, kind) => `${code} (${kind})`,
  codeKinds: {
    flag: 'Response-Flag von Envoy',
    reason: 'Reason einer Condition',
    problem: 'Problem',
    error: 'Fehler der Admin-API',
  },
  causes: 'Ursachen:',
  steps: 'Was zu tun ist:',
  seeDocs: (link) => `Mehr: ${link}`,
  noCode: (code, why) => `„${code}“ ist kein Code, Reason oder Flag, das ich kenne${why}.`,
  fromDocs: 'Aus der Dokumentation (englisch):',
  fromExample: (link) => `Ein getestetes Beispiel, ${link} (\`npm run example -- ${link.replace('examples/', '')}\`):`,
  noDocs: 'Dazu steht nichts in der Dokumentation, also sage ich auch nichts.',
  docsMissing: 'Versuche andere Wörter, oder sieh die Liste der Seiten in README.md an.',

  hello: 'Hallo. Ich beantworte Fragen zu diesem Gateway aus dem, was es tut; ich ändere nichts.',
  canAsk: [
    'Ohne Modell beantworte ich Fragen wie diese:',
    '- „Ist alles in Ordnung?“ · „Was ist nicht akzeptiert?“ · „Was ist falsch an HTTPRoute NAMESPACE/NAME?“',
    '- „Warum bekommt http://HOST/PFAD 404?“ · „Was bedeutet UF?“',
    '- „Welches Zertifikat läuft zuerst ab?“ · „Welche Proxys hängen hinterher?“ · „Wer benutzt Service NAME?“',
    '- „Was hat sich in der letzten Stunde geändert?“ · „Wie leite ich auf https um?“',
  ].join('\n'),
  notUnderstood: 'Ich habe die Frage nicht verstanden.',
  notUnderstoodWords: (words) => `Ich habe die Frage nicht verstanden: ${words} kenne ich nicht.`,
  onlyReads:
    'Ich lese nur: Ich kann nichts ändern, anlegen oder löschen, und keine Anweisung in einem Chat oder Objekt bringt mich dazu. Wende ein geändertes Manifest selbst an (`kubectl apply`, oder die Datei im Verzeichnis); `gatewright validate DATEI` probiert es vorher.',
  neverShown:
    'Secrets, Schlüssel und Passwörter werden hier nie gezeigt: Die Admin-API kennt nur Namen und Daten von Zertifikaten.',
};
