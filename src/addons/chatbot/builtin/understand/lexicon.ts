/*
 * What words stand for, in both languages that questions come in. `*` at the end: whatever ending. Umlauts are written out here, for
 * people do so at night; `words.ts` does the same with questions.
 */

export const lexicon = {
  // Questions
  who: 'who whose whom wer wen wem wessen',
  which: 'which what welche welcher welches welchen welchem was',
  why: 'why warum wieso weshalb reason grund ursache cause causes',
  where: 'where wo wohin whereto destination ziel',
  when: 'when wann',
  how: 'how wie',
  not: 'not isn aren doesn don no nicht kein keine keinen keiner',
  first: 'first next soonest earliest zuerst als-erstes erstes erste naechstes naechste',
  // What is done
  mean: 'mean means meaning stand stands bedeutet bedeuten heisst heissen bedeutung explain erklaer*',
  use: 'use uses used using user users refer refers references referenced depend* point points consum* nutzt nutzen benutz* verwende* haengt haengen zeigt verweis* genutzt',
  go: 'go goes sent send sends routed forwarded forward forwards lands served serves serve geht gehen leitet landet geschickt schickt bedient beliefert',
  change:
    'change changes changed changing happen* happened modified updated deleted removed created added recent recently lately new event events history deploy deployed aendert* geaendert aenderung* passiert passierte geschah geschehen neu neues neulich kuerzlich geloescht erstellt ereignis* verlauf los',
  list: 'list lists show all every give display liste listen zeig* auflisten alle',
  overview: 'overview summary uebersicht ueberblick zusammenfassung',
  count: 'many number count anzahl viele wieviele',
  help: 'help hilfe',
  fix: 'fix solve repair resolve remedy beheb* loese loesen repariere*',
  write:
    'delete remove drop create apply scale restart rollback patch deploy-it loesche loeschen entferne entfernen erstelle erstellen anlegen skalier* aendere lege setze starte neustarten',
  // How things are
  problem:
    'wrong problem problems issue issues fail fails failing failed failure* broken error errors bad trouble unhealthy invalid falsch kaputt fehler* probleme stimmt schief defekt gestoert stoerung* ungueltig* wrongly misconfigured warning warnings warnung* alarm*',
  ok: 'ok okay alright fine healthy health well working works work up green good gesund ordnung funktionier* laeuft laufen passt gut lebt klar alive',
  accepted: 'accepted accept accepts attached attach akzeptier* angenommen angehaengt zugelassen',
  nack: 'nack*',
  rejected: 'rejected reject rejects refus* declined abgelehnt abgewiesen verworfen dropped drops verweiger* lehnt',
  behind:
    'behind drift* drifted outdated stale sync synced synchron* current lagging late old hinterher veraltet* aktuell* zurueck nachhaengen haengen-zurueck abgedriftet abweich* connected verbunden',
  expire:
    'expire expires expiring expired expiry ends end ending renew renewal valid runs-out ablaeuft ablaufen abgelaufen endet enden laeuft-ab gueltig erneuern verlaenger* days tage',
  conflict:
    'conflict* clash overlap* konflikt* widerspr* widersprech* gewinnt wins ignored ignoriert applies gilt wirkt effective effect wirksam',
  slow: 'slow latency latenc* p95 p99 langsam latenz* antwortzeit* duration',
  ready: 'ready healthy endpoint endpoints pod pods bereit endpunkt* gesunde instances instanzen',
  // Kinds of things
  httproute: 'httproute httproutes',
  grpcroute: 'grpcroute grpcroutes',
  tcproute: 'tcproute tcproutes',
  udproute: 'udproute udproutes',
  tlsroute: 'tlsroute tlsroutes',
  route: 'route routes routen',
  gateway: 'gateway gateways',
  listener: 'listener listeners',
  listenerset: 'listenerset listenersets',
  service: 'service services backend backends upstream upstreams dienst dienste diensten',
  class: 'gatewayclass gatewayclasses class classes klasse klassen',
  namespace: 'namespace namespaces namensraum namensraeume ns',
  certificate: 'certificate certificates cert certs zertifikat* tls-secret ssl',
  secret: 'secret secrets',
  node: 'node nodes proxy proxies envoy envoys data-plane data-planes dataplane dataplanes knoten proxys datenebene*',
  file: 'file files yaml datei dateien manifest manifests',
  policy: 'policy policies policys richtlinie* regelwerk*',
  accesspolicy: 'accesspolicy accesspolicies acpolicy',
  backendpolicy: 'backendpolicy backendpolicies',
  listenerpolicy: 'listenerpolicy listenerpolicies',
  tokenpolicy: 'tokenpolicy tokenpolicies',
  backendtlspolicy: 'backendtlspolicy backendtlspolicies',
  referencegrant: 'referencegrant referencegrants',
  aiservice: 'aiservice aiservices',
  host: 'host hosts hostname hostnames domain domains hostnamen domaene*',
  address: 'address addresses ip ips adresse adressen',
  port: 'port ports',
  // Numbers
  traffic:
    'traffic metrics metric metrik* requests request rps throughput load anfrage* verkehr last durchsatz rate rates 5xx 4xx',
  weight:
    'weight weights split share shares percent canary prozent gewicht* anteil* verteil* aufgeteilt aufteilung traffic-split',
  ai: 'ai llm model models modell* ki openai anthropic',
  budget: 'budget* token tokens cost costs spend spent kosten ausgegeben verbraucht verbrauch price geld limit',
  login:
    'login logins log-in sign-in anmeldung anmelden authentication authentifizier* call calls aufrufen unprotected protected geschuetzt ungeschuetzt zugreifen',
  leader: 'leader leads leadership anfuehrer fuehrt leiter',
  version: 'version versions release',
  snapshot: 'snapshot snapshots',
  replica: 'replica replicas replikat* replik* control-plane control-planes steuerebene*',
  confidential:
    'password passwords passwort* kennwort* private-key private-keys privaten-schluessel private-schluessel schluessel apikey api-key api-keys credential credentials zugangsdaten geheimnis*',
  // What all of it is in: it says nothing, and is not unknown.
  system:
    'system systems platform plattform cluster production produktion prod-system setup installation environment umgebung configuration konfiguration config deployment infrastructure infrastruktur status state zustand stand situation everything anything something nothing things thing alles irgendetwas irgendwas etwas sache here there jetzt now night nacht tonight morning morgen cluster gatewright object objects objekt* resource resources ressource* name names namen called list-of side operator please rule rules regel regeln part parts time times currently momentan gerade serving serves',
} as const;

export type Concept = keyof typeof lexicon;

/** Words that carry no meaning for us. */
export const stopWords: ReadonlySet<string> = new Set(
  `answered answer answers returned return returns give gives given bekommt kommt kommen antwortet beantwortet a an the this that these those it its is am are was were be been being do does did done to of on in at by for from with into onto about over under up out off and or but nor so if then than as me my mine we our us you your i he she they them their his her have has had having can could will would shall should may might must please just still yet already also too very really any some each other another such only own same again once ever never let get gets getting got see look looking check say says know think want need like make makes going gone come comes keep put take again because
  der die das den dem des ein eine einen einem einer eines ist bin sind war waren wird werden wurde wurden worden sein seine ihr ihre ihren es er sie man mich mir mein meine meinen meinem meiner wir uns unser unsere unseren unserem du dich dir dein deine deinen ich hat haben habe hatte kann kannst koennen koennte konnte soll sollte muss muessen darf will wollen moechte im in am an auf aus bei mit nach von vom vor zu zum zur ueber unter durch fuer gegen ohne um und oder aber denn doch mal ja nein noch nur sich schon sehr so da dann dort hier auch eigentlich eben gar halt bitte sag sage sieh sehe schau gib gibt geben ob wenn als dass weil dieser diese dieses diesen diesem jeder jede jedes mache machen macht s t re ve ll d m`.split(
    /\s+/,
  ),
);

/** Several words that stand for one thing: what is found becomes the one word behind it. */
export const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(?:all|alles) (?:right|okay|ok|gut|klar|fine|good|well|in ordnung)\b/g, 'everything alright'],
  [/\bin (?:bester )?ordnung\b/g, 'ordnung'],
  [/\btel{2} me\b/g, ''],
  [/\bdata planes?\b/g, 'data-plane'],
  [/\bcontrol planes?\b/g, 'control-plane'],
  [/\bprivate keys?\b/g, 'private-key'],
  [/\bprivate[nr]? schluessel\b/g, 'private-key'],
  [/\bapi keys?\b/g, 'api-key'],
  [/\b(?:run|runs|running) out\b/g, 'expires'],
  [/\blaeuft\b(?=(?:.*) ab\b)/g, 'laeuft-ab'],
  [/\blaufen\b(?=(?:.*) ab\b)/g, 'laeuft-ab'],
  [/\b(?:hinken|haengen|hinkt|haengt|liegen|liegt) (?=.*\bhinterher\b|.*\bzurueck\b)/g, ''],
  [/\bout of (?:sync|date)\b/g, 'outdated'],
  [/\bnot (?:in sync|up to date|current)\b/g, 'outdated'],
  [/\bup to date\b/g, 'current'],
  [/\bwhat s\b|\bwhats\b/g, 'what is'],
  [/\bhow many\b|\bwie viele\b/g, 'wieviele'],
  [/\bgoing on\b/g, 'happened'],
  [/\bwas (?:ist|war|geht) (?:.*\b)?los\b/g, 'was passiert'],
  [/\bals erstes\b/g, 'zuerst'],
  [/\bgateway classes\b|\bgateway class\b/g, 'gatewayclass'],
  [/\bwho s\b/g, 'who is'],
  [
    /\bwhat (?:should|can|must|do) (?:i|we) do\b|\bwas (?:soll|kann|muss) (?:ich|man|wir) (?:da |nun |jetzt )?(?:tun|machen)\b/g,
    'fix',
  ],
  [/\bsteht (.*)\bfuer\b/g, 'bedeutet $1'],
];
