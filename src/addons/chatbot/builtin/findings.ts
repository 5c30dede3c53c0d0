import { faultText } from '../tools/conditions.ts';
import type { Diagnosis } from '../tools/diagnose.ts';
import { outcomeText } from '../tools/explain-request.ts';
import type { wire } from '../tools/index.ts';
import { certificateText, type Problem } from '../tools/list-problems.ts';

// What tools found, in sentences. Markdown lists, for both people and pages can read them.

const lines = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');
const mostListed = 10;

export function requestText(answer: wire.RouteTestAnswer, asked: string): string {
  const { gateway, port, listener, backends, candidates, hints } = answer;
  const at = `at Gateway ${gateway.namespace}/${gateway.name}, port ${port}${listener === null ? '' : `, listener ${listener}`}`;
  const targets = backends.map(({ namespace, service, port: to, share, endpoints, status }) =>
    service === null
      ? `${percent(share)} are answered ${status}: the backend reference does not resolve`
      : `${percent(share)} go to ${namespace}/${service}:${to}${endpoints === null ? '' : `, which has ${endpoints} ready endpoints`}${status === null ? '' : `: answered ${status}`}`,
  );
  const others = candidates
    .filter(({ outcome }) => outcome === 'mismatch')
    .slice(0, mostListed)
    .map(({ kind, namespace, name, rule, reason }) => `${kind} ${namespace}/${name} rule ${rule}: ${reason}`);
  return paragraphs(
    `${asked} ${at}: **${outcomeText(answer)}**`,
    lines(targets),
    others.length > 0 && targets.length === 0 && `Rules on this host, and why not:\n${lines(others)}`,
    hints.length > 0 && `What to look at next:\n${lines(hints)}`,
  );
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;

export function diagnosisText({ kind, namespace, name, found, faults, facts }: Diagnosis): string {
  const what = `${kind} ${namespace}/${name}`;
  if (!found) return `There is no ${what}: it does not exist, or was never read. ${facts.join(' ')}`;
  if (faults.length === 0) return paragraphs(`Nothing is wrong with ${what}.`, lines(facts));
  return paragraphs(
    `${what} has ${faults.length} fault${faults.length === 1 ? '' : 's'}:`,
    lines(faults.map((fault) => `${fault.where}: ${faultText(fault)}`)),
    lines(facts),
  );
}

export function problemsText(
  { total, problems }: { readonly total: number; readonly problems: readonly Problem[] },
  what: string,
): string {
  if (total === 0) return `${what}: nothing is wrong. Everything is accepted and resolved.`;
  const more = total - Math.min(total, mostListed);
  return paragraphs(
    `${what}: ${total} problem${total === 1 ? '' : 's'}.`,
    lines(problems.slice(0, mostListed).map((problem) => `${problem.what}: ${problem.why}`)),
    more > 0 && `… and ${more} more.`,
  );
}

export function certificatesText(certificates: readonly wire.CertificateAnswer[]): string {
  if (certificates.length === 0) return 'No listener names a certificate, so none can expire.';
  const soon = certificates.filter(({ state }) => state !== 'valid');
  const shown = (soon.length > 0 ? soon : certificates).slice(0, mostListed);
  const head =
    soon.length > 0
      ? `${soon.length} of ${certificates.length} certificates need attention:`
      : `None of ${certificates.length} certificates ends within 30 days. The first to end:`;
  return paragraphs(head, lines(shown.map((each) => `${each.namespace}/${each.name} ${certificateText(each)}`)));
}

export function driftText({ snapshotVersion, nodes }: wire.SyncAnswer): string {
  if (nodes.length === 0) return 'No data plane is connected, so nothing is served. See whether proxies run.';
  const drifted = nodes.filter(({ sync }) => sync === 'drifted');
  if (drifted.length === 0)
    return `All ${nodes.length} data planes run the newest snapshot (${snapshotVersion}). None has drifted.`;
  return paragraphs(
    `${drifted.length} of ${nodes.length} data planes do not run the newest snapshot (${snapshotVersion}):`,
    lines(
      drifted.map(({ nodeId, gateway, state, message, lastNackMessage }) => {
        const words = lastNackMessage === null ? '' : ` Envoy said: ${lastNackMessage}`;
        return `${nodeId} (Gateway ${gateway}): ${state}: ${message}.${words}`;
      }),
    ),
  );
}

export function summaryText(summary: wire.SummaryAnswer): string {
  const { gatewayCount, listenerCount, routeCount, backendCount, endpointCount, healthyEndpointCount, warnings } =
    summary;
  return paragraphs(
    `${gatewayCount} Gateways with ${listenerCount} listeners, ${routeCount} routes, ${backendCount} backends with ${healthyEndpointCount} of ${endpointCount} endpoints healthy. ${summary.currentVersionNodeCount} of ${summary.nodeCount} data planes run the newest snapshot.`,
    warnings.length === 0 ? 'There are no warnings.' : lines(warnings.map(({ message }) => message)),
  );
}

export function routesText(
  entries: readonly Pick<wire.RouteAnswer, 'kind' | 'namespace' | 'name' | 'hostnames' | 'accepted'>[],
  total: number,
): string {
  if (total === 0) return 'There are no routes.';
  const shown = entries.slice(0, mostListed);
  return paragraphs(
    `${total} route${total === 1 ? '' : 's'}:`,
    lines(
      shown.map(({ kind, namespace, name, hostnames, accepted }) => {
        const hosts = hostnames.join(', ') || 'any host of its listeners';
        return `${kind} ${namespace}/${name} for ${hosts}${accepted ? '' : ' (not accepted)'}`;
      }),
    ),
    total > shown.length && `… and ${total - shown.length} more.`,
  );
}

export interface LoggedEvent {
  readonly type: string;
  readonly at: string;
  readonly [field: string]: unknown;
}

export function eventsText(events: readonly LoggedEvent[]): string {
  if (events.length === 0) return 'Nothing has happened since the control plane started.';
  return paragraphs(
    'The newest first:',
    lines(events.slice(0, mostListed).map(({ at, type, ...fields }) => `${at} ${type}: ${eventLine(fields)}`)),
  );
}

function eventLine({ action, kind, namespace, name, nodeId, message, id }: Readonly<Record<string, unknown>>): string {
  if (nodeId !== undefined) return [nodeId, action, message].filter(Boolean).join(' ');
  return kind === undefined ? `snapshot ${id}` : `${kind} ${namespace}/${name} ${action}`;
}

export interface SeriesAnswer {
  readonly data?: { readonly result: readonly { readonly value?: readonly [number, string] }[] };
  readonly warnings?: readonly string[];
}

/** The number of a query that gives one; undefined when it gives none. */
export const numberIn = ({ data }: SeriesAnswer): number | undefined => {
  const text = data?.result[0]?.value?.[1];
  return text === undefined || !Number.isFinite(Number(text)) ? undefined : Number(text);
};

export const paragraphs = (...parts: readonly (string | false)[]): string =>
  parts.filter((part) => part !== false && part !== '').join('\n\n');
