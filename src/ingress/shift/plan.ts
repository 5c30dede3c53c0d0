import { counted } from '../../std/index.ts';
import type { MoveFacts } from './move-facts.ts';

/** One step of a move. Each can be undone by undoing it alone. */
export interface MoveStep {
  readonly title: string;
  readonly why: string;
  readonly commands: readonly string[];
  /** What this cluster has that needs care here. */
  readonly notes: readonly string[];
  readonly undo: string;
}

export interface MovePlan {
  readonly version: 1;
  readonly ingresses: number;
  readonly hosts: number;
  readonly certificates: number;
  readonly steps: readonly MoveStep[];
}

/** `NAMESPACE/NAME` of the Gateway that takes the hosts. */
export function movePlan(facts: MoveFacts, gateway: string): MovePlan {
  return {
    version: 1,
    ingresses: facts.ingresses.length,
    hosts: facts.hosts.length,
    certificates: facts.secrets.length,
    steps: [
      beside(facts, gateway),
      compared(facts),
      ttl(facts),
      shifted(facts),
      watched(facts),
      taken(facts),
      removed(facts),
    ],
  };
}

/** Names, not more than a line of them, and no control characters. */
function named(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return `${names
    .slice(0, mostNamed)
    .join(', ')
    .replaceAll(/\p{Cc}/gu, '?')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const mostNamed = 5;

/** These commands ask a control plane, by default one of this machine. */
const inCluster = '--kubeconfig ~/.kube/config';

const note = (names: readonly string[], text: (list: string) => string): string[] =>
  names.length === 0 ? [] : [text(named(names))];

const beside = ({ hostsWithoutTls, secrets, sendsHsts, usesProxyProtocol }: MoveFacts, gateway: string): MoveStep => ({
  title: `Serve a Gateway ${gateway} beside ingress-nginx, at an address of its own`,
  why: 'Nothing changes for clients while DNS points at ingress-nginx. Listeners refer to the Secrets that are there: no certificate is issued again.',
  commands: [
    'gatewright migrate inventory',
    `gatewright migrate convert --gateway ${word(gateway)} --out converted`,
    ...(namespaceOf(gateway) === 'default'
      ? []
      : [`kubectl create namespace ${word(namespaceOf(gateway))}   # unless it exists`]),
    'kubectl apply --server-side --recursive -f converted/',
    'gatewright migrate status   # until exit code 0',
    `kubectl -n ${word(namespaceOf(gateway))} get gateway ${word(nameOf(gateway))} -o jsonpath='{.status.addresses}'`,
  ],
  notes: [
    ...note(secrets, (list) => `${counted(secrets.length, 'certificate')} in Secrets: ${list}`),
    ...note(hostsWithoutTls, (list) => `served over TLS by nginx's default certificate, and not here: ${list}`),
    ...(sendsHsts
      ? ['browsers remember HTTPS for a year (HSTS): a host that loses its HTTPS listener cannot be reached by them']
      : []),
    ...(usesProxyProtocol ? ['use-proxy-protocol is on: set clientIP.proxyProtocol in a ListenerPolicy'] : []),
  ],
  undo: 'kubectl delete --recursive -f converted/',
});

const compared = ({ addresses, trustsForwardedHeaders }: MoveFacts): MoveStep => ({
  title: 'Compare both until nothing is unexplained',
  why: 'The same requests to two addresses. Exit code 0 says that no difference is without an explanation.',
  commands: [
    'gatewright migrate compare --offline --converted converted/',
    'gatewright migrate compare --from OLD_ADDRESS --to NEW_ADDRESS',
    'gatewright migrate compare --from OLD_ADDRESS --to NEW_ADDRESS --requests access.log',
  ],
  notes: [
    ...note(
      addresses,
      (list) => `lists of addresses need the client's own address at both Services (externalTrafficPolicy): ${list}`,
    ),
    ...(trustsForwardedHeaders
      ? ['use-forwarded-headers is on: set clientIP in a ListenerPolicy to the same proxies']
      : []),
  ],
  undo: 'nothing to undo: it only asks',
});

const ttl = ({ hosts }: MoveFacts): MoveStep => ({
  title: 'Lower the TTL of the DNS records a day before',
  why: 'Resolvers keep the old address for as long as the record says.',
  commands: hosts.slice(0, mostNamed).map((host) => `dig +noall +answer ${word(host)}`),
  notes: [],
  undo: 'raise the TTL again',
});

const shifted = ({ externalDns, sessions, limits }: MoveFacts): MoveStep => ({
  title: 'Shift by weighted DNS records: 1, 10, 50, 100 %',
  why: 'Each weight shows what the next one would do to everyone.',
  commands: [`gatewright top routes ${inCluster}`, `gatewright status -w ${inCluster}`],
  notes: [
    ...note(
      externalDns,
      (list) =>
        `external-dns keeps a name with the object that had it first: set ingress-hostname-source: annotation-only on ${list}, and policy: upsert-only meanwhile`,
    ),
    ...note(
      sessions,
      (list) => `cookies of sessions are not shared: use another cookie name while both serve, for ${list}`,
    ),
    ...note(limits, (list) => `limits count on each side alone while both serve: ${list}`),
  ],
  undo: 'set the weight back',
});

const watched = (_: MoveFacts): MoveStep => ({
  title: 'Watch for a week, and keep ingress-nginx running',
  why: 'Some resolvers ignore the TTL: requests still come to the old address for 48 hours and more.',
  commands: [`gatewright top routes ${inCluster}`, `gatewright get routes --sort state ${inCluster}`],
  notes: [],
  undo: 'set the weights of DNS back to ingress-nginx',
});

const taken = ({ certManager }: MoveFacts): MoveStep => ({
  title: 'Take over certificates and DNS records',
  why: 'Until now the Ingresses own them. What they own goes with them.',
  commands: [
    // In quotes: shells such as zsh take the brackets for a pattern of file names.
    "kubectl get certificates -A -o 'custom-columns=NS:.metadata.namespace,NAME:.metadata.name,OWNER:.metadata.ownerReferences[*].kind'",
  ],
  notes: [
    ...note(
      certManager,
      (list) => `cert-manager's Certificates belong to these Ingresses; remove their ownerReferences first: ${list}`,
    ),
    ...note(
      certManager,
      () => 'HTTP-01 solvers are Ingresses: move Issuers to the solver gatewayHTTPRoute before the first renewal',
    ),
  ],
  undo: 'put the annotations back on the Ingresses',
});

const removed = ({ ingresses, publishService }: MoveFacts): MoveStep => ({
  title: 'Delete the Ingresses, then the controller, then its class',
  why: 'In this order no host is without a server, and no webhook without its controller.',
  commands: [
    `kubectl get ingress --all-namespaces -o json | jq 'del(.items[].metadata["resourceVersion", "uid"])' > ingresses.json`,
    'kubectl delete validatingwebhookconfiguration ingress-nginx-admission',
    ...[...Map.groupBy(ingresses, namespaceOf)].map(
      ([namespace, keys]) =>
        `kubectl -n ${word(namespace)} delete ingress ${keys.map((key) => word(nameOf(key))).join(' ')}`,
    ),
  ],
  notes: publishService ? [`the address goes with Service ${publishService}: reserve it first if it must stay`] : [],
  undo: 'kubectl apply -f ingresses.json',
});

const namespaceOf = (key: string): string => key.replace(/\/.*$/, '');

const nameOf = (key: string): string => key.replace(/^.*\//, '');

/** Names are of objects that others wrote, and lines are pasted into a shell. */
const word = (text: string): string =>
  /^[\w./-]+$/.test(text) && !text.startsWith('-')
    ? text
    : `'${text.replaceAll("'", `'\\''`).replaceAll(/\p{Cc}/gu, '?')}'`;

/** The plan for people. */
export const planText = ({ ingresses, hosts, certificates, steps }: MovePlan): string =>
  [
    `${counted(ingresses, 'Ingress', 'Ingresses')}, ${counted(hosts, 'host')}, ${counted(certificates, 'certificate')}. Nothing is changed: these are the steps.`,
    ...steps.flatMap(({ title, why, commands, notes, undo }, at) => [
      '',
      `${at + 1}. ${title}`,
      `   ${why}`,
      ...commands.map((command) => `     ${command}`),
      ...notes.map((each) => `   care: ${each}`),
      `   undo: ${undo}`,
    ]),
  ].join('\n');

/** The same as Markdown, for an issue or a pull request. */
export const planMarkdown = ({ ingresses, hosts, certificates, steps }: MovePlan): string =>
  [
    `**${counted(ingresses, 'Ingress', 'Ingresses')}, ${counted(hosts, 'host')}, ${counted(certificates, 'certificate')}**`,
    ...steps.flatMap(({ title, why, commands, notes, undo }, at) => [
      '',
      `### ${at + 1}. ${title}`,
      '',
      why,
      '',
      '```sh',
      ...commands,
      '```',
      '',
      ...notes.map((each) => `- [ ] ${each}`),
      `- undo: ${undo}`,
    ]),
  ].join('\n');
