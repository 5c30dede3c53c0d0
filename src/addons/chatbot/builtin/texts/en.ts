import { pickWords } from '../../../../contracts/words/index.ts';

/** `1 route`, `2 routes`. */
const n = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Everything that the built-in chat says by itself. What the API says, such as messages of conditions, stands in between as it is. */
export const en = {
  /** What to do next, in English as the project's tables have it. */
  next: (text: string): string => text,
  more: (count: number) => `… and ${count} more.`,
  because: 'Cause',
  notFoundOut: (why: string) => `That could not be found out: ${why}.`,

  allRight: (gateways: number, routes: number, proxies: number) =>
    `Everything is all right: nothing is wrong. ${n(gateways, 'Gateway')}, ${n(routes, 'route')} and ${n(proxies, 'proxy', 'proxies')} on the newest configuration.`,
  noProblemIn: (what: string) => `Nothing is wrong in ${what}.`,
  noneOfArea: (area: string) => `No ${area} has a problem.`,
  otherProblems: (count: number) =>
    `Elsewhere ${count === 1 ? 'there is 1 problem' : `there are ${count} problems`}: ask “what is wrong?”.`,
  problems: (failing: number, warnings: number) =>
    `${[failing > 0 && n(failing, 'problem'), warnings > 0 && n(warnings, 'warning')].filter(Boolean).join(' and ')}, the worst first:`,
  notKnownYet: 'Not known yet: no snapshot has been built.',
  also: (count: number) => `(and ${count} more with the same problem)`,

  nothingWrong: (what: string) => `Nothing is wrong with ${what}.`,
  faults: (what: string, count: number) => `${what} has ${n(count, 'problem')}:`,
  related: 'What it depends on has problems too:',
  noSuch: (name: string) => `There is nothing called “${name}” here.`,
  noSuchKind: (kind: string, name: string) => `There is no ${kind} “${name}” here.`,
  didYouMean: (names: string) => `Did you mean ${names}?`,
  named: (name: string) => `These name “${name}”:`,
  or: ' or ',
  hostnames: (hosts: string) => `hostnames: ${hosts}`,
  anyHost: 'those of its listeners',
  attachedAt: (parents: string) => `attached at ${parents}`,
  attachedNowhere: 'attached nowhere: no Gateway of ours takes it',
  endpointsReady: (port: number, ready: number, all: number) => `port ${port}: ${ready} of ${all} endpoints are ready`,
  notUsed: (what: string) => `No route forwards to ${what}, so nothing is known of its endpoints.`,

  request: (asked: string, gateway: string, port: number, listener: string | null, outcome: string) =>
    `${asked} at Gateway ${gateway}, port ${port}${listener === null ? '' : `, listener ${listener}`}: **${outcome}**`,
  shareUnresolved: (share: string, status: number | null) =>
    `${share} are answered ${status}: the backend reference does not resolve`,
  share: (share: string, backend: string, endpoints: number | null, status: number | null) =>
    `${share} go to ${backend}${endpoints === null ? '' : `, which has ${endpoints} ready ${endpoints === 1 ? 'endpoint' : 'endpoints'}`}${status === null ? '' : `: answered ${status}`}`,
  pickedBy: (picker: string, failsOpen: boolean) =>
    `; the picker ${picker} chooses, and without it ${failsOpen ? 'any endpoint answers' : 'the answer is 503'}`,
  pickedLately: (requests: number, endpoint: string | null, outcome: keyof typeof pickWords.en) =>
    `; lately ${n(requests, 'request')}: ${endpoint === null ? '' : `${endpoint}, `}${pickWords.en[outcome]}`,
  candidates: 'Rules on this host, and why not:',
  hints: 'What to look at next:',
  foundProblems: 'Problems on the way:',
  whichRequest: (status: number | undefined) =>
    `Give me the host, such as “why is shop.example.com/cart answered ${status ?? 404}?”, and I look at what the proxies do with the request.`,
  noProblemMakes: (status: number) => `No known problem makes requests end with ${status} now.`,
  statusMeans: (status: number) => `Response flags of Envoy's access log that go with ${status}:`,
  statusUnknown: (status: number) => `No response flag goes with ${status} alone: the backend may have answered it.`,
  demandedOf: (what: string) => `Requests to ${what} meet:`,
  everyClientMayCall: (what: string) => `Every client may call ${what}: no policy of access is for it or its Gateways.`,
  unguardedRules: (labels: string) => `rules ${labels}: every client may call`,
  openRoutes: (count: number) =>
    `${count} route${count === 1 ? ' needs' : 's need'} no login, at least in these rules:`,
  noOpenRoutes: 'Every route demands a login.',
  rules: (labels: string) => `rules ${labels}`,
  noHostname: (what: string) => `${what} has no hostname of its own; ask with a host, such as “why is HOST/PATH 404?”.`,

  firstToEnd: 'The first to end:',
  noCertificates: 'No listener names a certificate, so none can expire.',
  noCertificateFor: (host: string) => `No listener has a certificate for ${host}.`,
  certificatesFine: (count: number) =>
    `${count === 1 ? 'The one certificate does not end' : `None of ${count} certificates ends`} within 30 days.`,
  certificatesBad: (bad: number, all: number) =>
    `${bad} of ${n(all, 'certificate')} ${bad === 1 ? 'needs' : 'need'} attention:`,
  certificate: {
    missing: 'is missing: there is no such Secret',
    unusable: 'cannot be used',
    'not-yet-valid': 'is not valid yet',
    ended: (days: number, date: string) =>
      days === 0 ? `ended today (${date})` : `ended ${n(days, 'day')} ago (${date})`,
    ends: (days: number, date: string) =>
      days === 0 ? `ends within a day (${date})` : `ends in ${n(days, 'day')} (${date})`,
    forNames: (names: string) => `for ${names}`,
    usedBy: (users: string) => `used by ${users}`,
    unused: 'used by no listener',
  },

  noProxies: 'No proxy is connected, so nothing is served. See whether proxies run: `gatewright nodes`.',
  proxiesCurrent: (count: number, id: string) =>
    count === 1
      ? `The one proxy runs the newest snapshot (${id}).`
      : `All ${count} proxies run the newest snapshot (${id}). None is behind.`,
  proxiesBehind: (behind: number, all: number, id: string) =>
    `${behind} of ${n(all, 'proxy', 'proxies')} ${behind === 1 ? 'does' : 'do'} not run the newest snapshot (${id}):`,
  proxy: (node: string, gateway: string, state: string, message: string) =>
    `Node ${node} (Gateway ${gateway}): ${state}: ${message}`,
  controlPlane: (version: string, snapshot: string, leader: string, isLeader: boolean) =>
    `Control plane ${version}, snapshot ${snapshot}. This replica ${isLeader ? 'leads' : 'does not lead'} (${leader}).`,

  changesSince: (time: string) => `Since ${time} UTC, the newest first:`,
  changesNewest: 'The newest first:',
  nothingSince: (time: string) =>
    `Nothing has changed since ${time} UTC, or since the control plane started if that was later.`,
  nothingOf: (what: string) => `Nothing is known to have happened to ${what} since the control plane started.`,
  atLeast: 'Only the newest 500 events are kept for this; there were more.',
  times: (count: number) => `${count} times`,
  event: {
    added: 'added',
    updated: 'changed',
    modified: 'changed',
    deleted: 'deleted',
    raised: 'problem came up',
    ended: 'problem ended',
  } as Readonly<Record<string, string>>,
  snapshots: (count: number) => `${n(count, 'new snapshot')} for the proxies`,

  users: (what: string) => `${what} is used by:`,
  noUsers: (what: string) => `Nothing that is served uses ${what}.`,
  whoUsesWhat: 'Name the object, such as “who uses Service NAMESPACE/NAME?”.',
  targets: (route: string) => `Where ${route} sends requests:`,
  rule: (label: string, backends: string) => `rule ${label}: ${backends}`,
  noBackend: 'no backend (a redirect, or answered 500)',
  noWeight: 'every weight is 0: answered 500',
  noRoute: 'Name the route, such as “how is traffic of HTTPRoute NAMESPACE/NAME split?”.',
  noPolicies: 'There are no policies.',
  noPoliciesFor: (what: string) => `No policy is for ${what}.`,
  policies: 'Policies:',
  policyFor: (targets: string) => `for ${targets}`,
  inEffect: 'in effect',
  backends: 'Backends without a ready endpoint:',
  allEndpoints: (count: number) => `All ${n(count, 'backend')} ${count === 1 ? 'has' : 'have'} ready endpoints.`,

  traffic: 'Over the last five minutes:',
  noData: 'no data',
  noMetrics: (why: string) =>
    `There is nothing to read traffic from: ${why}. How to set it: docs/metrics-backend.md#settings`,
  failingTraffic: 'Requests fail now:',
  ai: (services: number, ready: number, requests: number, failed: number, tokens: number) =>
    `${n(services, 'AIService')}, ${ready} ready; ${n(requests, 'request')} in the last hour, ${failed} failed, ${n(tokens, 'token')}.`,
  noBudget: 'No TokenPolicy sets a budget.',
  budgets: 'Budgets:',
  budget: (policy: string, key: string, used: string, limit: string, unit: string, per: string, reset: string) =>
    `TokenPolicy ${policy}, ${key}: ${used} of ${limit} ${unit} per ${per} used, starts again ${reset}`,
  usedUp: 'used up: requests get 429',
  cost: (today: string, total: string) => `Costs: ${today} today, ${total} in 24 hours.`,
  noPrice: 'unknown (no price)',

  noneOf: (kinds: string) => `There are no ${kinds}.`,
  counted: (count: number, kinds: string) => `${count} ${kinds}:`,
  notAccepted: 'not accepted',
  whichList: 'I can list routes, Gateways, listeners, backends, certificates, proxies, namespaces and policies.',
  overview: (gateways: number, listeners: number, routes: number, backends: number, proxies: number) =>
    `${n(gateways, 'Gateway')} with ${n(listeners, 'listener')}, ${n(routes, 'route')}, ${n(backends, 'backend')}, ${n(proxies, 'proxy', 'proxies')}.`,
  noAddress: 'no address',

  code: (code: string, kind: string) => `${code} (${kind})`,
  codeKinds: {
    flag: 'response flag of Envoy',
    reason: 'reason of a condition',
    problem: 'problem',
    error: 'error of the admin API',
  },
  causes: 'Causes:',
  steps: 'What to do:',
  seeDocs: (link: string) => `More: ${link}`,
  noCode: (code: string, why: string) => `“${code}” is no code, reason or flag that I know${why}.`,
  fromDocs: 'From the documentation:',
  fromExample: (link: string) => `A tested example, ${link} (\`npm run example -- ${link.replace('examples/', '')}\`):`,
  noDocs: 'The documentation has nothing on that, so I do not say anything either.',
  docsMissing: 'Try other words, or see the list of pages in README.md.',

  hello: 'Hello. I answer questions about this gateway from what it does; I change nothing.',
  canAsk: [
    'Without a model I answer questions such as these:',
    '- “Is everything all right?” · “What is not accepted?” · “What is wrong with HTTPRoute NAMESPACE/NAME?”',
    '- “Why is http://HOST/PATH answered 404?” · “What does UF mean?”',
    '- “Which certificate ends first?” · “Which proxies are behind?” · “Who uses Service NAME?”',
    '- “What changed in the last hour?” · “How do I redirect to https?”',
  ].join('\n'),
  notUnderstood: 'I have not understood the question.',
  notUnderstoodWords: (words: string) => `I have not understood the question: I do not know ${words}.`,
  onlyReads:
    'I only read: I cannot change, create or delete anything, and no instruction in a chat or in an object makes me. Apply a changed manifest yourself (`kubectl apply`, or the file of the directory); `gatewright validate FILE` tries it first.',
  neverShown:
    'Secrets, keys and passwords are never shown here: the admin API has only names and dates of certificates.',
};

export type Texts = typeof en;
