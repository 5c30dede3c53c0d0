import type { GraphView } from '../../graph/index.ts';
import { type AccessQuestion, denialText, judgedRecord } from '../access/judged.ts';
import type { RouteTestResult } from './record.ts';
import type { TestedRoute } from './route-test-record.ts';

/** What happens to a request, with policies of access: what these deny, no rule takes. */
export async function withAccess(
  graph: GraphView,
  { record, access: question }: TestedRoute,
): Promise<RouteTestResult> {
  if (!question) return record;
  const access = await judgedRecord(graph, question);
  const denial = denialText(access);
  if (denial !== undefined) {
    const hints = [...certificateHints(question, access.parts), ...record.hints];
    return { ...record, outcome: 'denied', status: access.status, reason: denial, location: null, access, hints };
  }
  const unsaid = access.parts.find(({ verdict }) => verdict === 'unknown');
  const hints = unsaid
    ? [
        `${unsaid.part}: ${unsaid.reason}${question.request.address === undefined ? '; say it by `from` (--from)' : ''}`,
        ...record.hints,
      ]
    : record.hints;
  return { ...record, access, hints };
}

/** What to say, or to change, where the certificate of a client is looked at and there is none. */
function certificateHints(
  { asksForCertificates, request }: AccessQuestion,
  parts: readonly { readonly part: string; readonly verdict: string }[],
): readonly string[] {
  if (request.certificate || !parts.some(({ part, verdict }) => part === 'clientCertificates' && verdict === 'denies'))
    return [];
  return [
    asksForCertificates
      ? 'clientCertificates: no certificate was said; say its names by `certificate` (--cert-san, --cert-subject)'
      : 'clientCertificates: the listener asks clients for no certificate; `spec.tls.frontend` of the Gateway says that an HTTPS listener does',
  ];
}
