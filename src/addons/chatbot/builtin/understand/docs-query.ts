import type { Question } from './question.ts';
import { plainly } from './written.ts';

/** English words of the documentation for what people say, in both languages. `*`: whatever ending. */
const glossary: readonly (readonly [string, string])[] = [
  ['umleit* umlenk* weiterleit* leite redirect* https-redirect umgeleitet', 'redirect'],
  ['umschreib* rewrite* ersetz* rewriting', 'rewrite'],
  ['zertifikat* certificate* cert certs', 'certificate'],
  ['zeitlimit* timeout* zeitueberschreitung* wartezeit*', 'timeout'],
  ['wiederhol* retry retries erneut', 'retry'],
  ['kopfzeile* header headers', 'header'],
  ['gewicht* verteil* aufteil* weights weighted split anteil* teile', 'weight'],
  ['canary kanarien*', 'canary weight'],
  ['spiegel* mirror* kopie kopier* shadow', 'mirror'],
  ['verschluesse* encrypt*', 'tls'],
  ['sitzung* sticky session* klebrig*', 'sticky session'],
  ['installier* install installation einspiel*', 'install'],
  ['aktualisier* upgrade* hochzieh*', 'upgrade'],
  ['deinstallier* uninstall* entfern*', 'uninstall'],
  ['alarm* alert alerts', 'alerts'],
  ['metrik* metrics prometheus-metriken', 'metrics'],
  ['gesundheit* healthcheck* health-check* gesundheitspruefung*', 'health check'],
  ['lastverteil* loadbalanc* lastausgleich*', 'load balancer'],
  ['namensraum* namensraeum*', 'namespace'],
  ['begrenz* limitier* ratelimit* rate-limit*', 'limit'],
  ['authentifizier* authoriz* anmeld* auth login authentication', 'external auth'],
  ['protokoll* logs logging log-level loglevel', 'log level'],
  ['erlaub* allow', 'allow'],
  ['koste* cost costs', 'cost'],
  ['durchreich* passthrough', 'passthrough'],
  ['skalier* scale scaling', 'replicas'],
  ['namespaceuebergreifend* cross-namespace', 'ReferenceGrant namespace'],
  ['pruef* validier* validate check', 'validate'],
  ['chatbot chat', 'chatbot'],
  ['budget* tokenbudget*', 'budget'],
  ['kompress* compress* gzip', 'compression'],
  ['websocket* websockets', 'WebSocket'],
  ['fehlerseit*', 'error page'],
  ['circuit-breaker circuit sicherung*', 'circuitBreaker'],
  ['knoten proxy proxys proxies', 'proxies'],
  ['dienst* service services backend backends', 'backend'],
  ['umgebung', ''],
  ['adresse*', 'address'],
  [
    'beispiel* example* zeig* configure* konfigur* einricht* richte einstell* stelle set setze setup mache kann do does find finde steht documented dokument* doku docs documentation handbuch',
    '',
  ],
  ['request requests anfrage*', 'request'],
  ['traffic verkehr', ''],
  ['pfad* path paths', 'path'],
  ['steuere* kontroll*', 'control'],
  ['sammel* bericht* collect', 'collecting report'],
];

const words = new Map<string, string>();
const beginnings: (readonly [string, string])[] = [];
for (const [said, written] of glossary) {
  for (const word of said.split(/ /)) {
    if (word.endsWith('*')) beginnings.push([word.slice(0, -1), written]);
    else words.set(word, written);
  }
}

/** The question in the words of the documentation. */
export function docsQuery({ text }: Question): string {
  const asked = plainly(text.slice(0, 400))
    .replace(/\btel{2} me\b/g, ' ')
    .replace(/[^\p{L}\p{N}_-]+/gu, ' ')
    .split(/ /)
    .filter((word) => word.length > 1 && !skipped.has(word));
  const written = asked.map(
    (word) => words.get(word) ?? beginnings.find(([beginning]) => word.startsWith(beginning))?.[1] ?? word,
  );
  const query = [...new Set(written.join(' ').split(/ /).filter(Boolean))].slice(0, 8).join(' ');
  // In the words of the API: https is the scheme that requests are redirected to.
  return /\bredirect\b/.test(query) ? query.replace(/\bhttps?\b/g, 'scheme') : query;
}

/** Words of a question that no page is about. */
const skipped: ReadonlySet<string> = new Set(
  `how do does can could should would to must where what which who when why is are the an my our your one we you it its in on at of for and or me with from into if there way please gatewright any some that this make change configured enabled done use using need want show give get about between see setting settings option options value
  wie kann koennen koennte ich man wir wo ein eine einen einem einer der die das den dem des mein meine meinen meiner fuer auf in im an am zu zum zur von vom mit und oder ist sind es gibt nach bei ob bitte mir lege schalte aktiviere baue schreibe sorge verwende nutze definiere erreiche sieht geht aus ein her lass lasse werden wird dass alle alles`.split(
    /\s+/,
  ),
);
