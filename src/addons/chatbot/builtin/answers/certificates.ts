import type { wire } from '../../tools/index.ts';
import { clusterText, lines, mostListed, paragraphs } from '../cluster-text.ts';
import type { Texts } from '../texts/index.ts';
import { type Answer, type Answering, type Page, type ProblemList, problemLines } from './answering.ts';

type Certificate = wire.CertificateAnswer;

/** Which certificates end when, those that need attention first; of a host or by name if the question has one. */
export async function* certificatesAnswer(answering: Answering): Answer {
  const { frame, call, say } = answering;
  const host = frame.request?.host;
  const { entries, total } = (yield* call('list_certificates', {
    limit: 100,
    ...(host && { hostname: host }),
  })) as Page<Certificate>;
  const names = frame.objects.filter(({ kind }) => kind === 'Certificate').map(({ name }) => name);
  const wanted = names.length === 0 ? entries : entries.filter(({ name }) => names.includes(name));
  if (wanted.length === 0) return host === undefined ? say.noCertificates : say.noCertificateFor(clusterText(host));
  const bad = wanted.filter(({ state }) => state !== 'valid');
  const first = wanted
    .filter(({ state }) => state === 'valid' || state === 'expiring')
    .toSorted((a, b) => (a.daysLeft ?? 0) - (b.daysLeft ?? 0));
  const found =
    bad.length === 0
      ? undefined
      : ((yield* call('list_problems', {
          area: 'certificate',
          names: bad.slice(0, 20).map(({ name }) => name),
        })) as ProblemList);
  return paragraphs(
    bad.length === 0 ? say.certificatesFine(total) : say.certificatesBad(bad.length, wanted.length),
    found === undefined
      ? ''
      : found.total > 0
        ? problemLines(found.problems, found.total, answering)
        : certificateLines(bad, say),
    first.length > 0 && paragraphs(say.firstToEnd, certificateLines(first, say)),
  );
}

const certificateLines = (certificates: readonly Certificate[], say: Texts): string =>
  lines(certificates.slice(0, mostListed).map((each) => certificateText(each, say)));

/** `Certificate default/shop ends in 3 days (2026-01-05), for shop.test, used by default.edge.https` */
function certificateText(
  { namespace, name, state, daysLeft, notAfter, sans, usedBy }: Certificate,
  { certificate: say }: Texts,
): string {
  const users = usedBy
    .slice(0, 5)
    .map((user) => user.name)
    .join(', ');
  const names = (sans ?? []).slice(0, 5).join(', ');
  const parts = [
    `${clusterText(`Certificate ${namespace}/${name}`)} ${whenText(state, daysLeft ?? 0, (notAfter ?? '').slice(0, 10), say)}`,
    ...(names === '' ? [] : [say.forNames(clusterText(names))]),
    users === '' ? say.unused : say.usedBy(clusterText(users)),
  ];
  return parts.join(', ');
}

function whenText(state: Certificate['state'], days: number, date: string, say: Texts['certificate']): string {
  if (state === 'missing' || state === 'unusable' || state === 'not-yet-valid') return say[state];
  return days < 0 ? say.ended(-days - 1, date) : say.ends(days, date);
}
