import { responseFlags } from '../../../../problems/index.ts';
import type { wire } from '../../tools/index.ts';
import { clusterText, lines, paragraphs } from '../cluster-text.ts';
import { docsQuery } from '../understand/docs-query.ts';
import { type Answer, type Answering, nameOf } from './answering.ts';

/** What codes mean. */
export async function* codeAnswer({ frame, call, say }: Answering): Answer {
  const parts: string[] = [];
  for (const code of frame.codes.slice(0, 3)) {
    const { kind, summary, causes, steps, docs } = (yield* call('explain_code', { code })) as wire.ExplanationAnswer;
    parts.push(
      paragraphs(
        `**${say.code(code, say.codeKinds[kind])}**: ${summary}`,
        causes.length > 0 && `${say.causes}\n${lines(causes)}`,
        steps.length > 0 && `${say.steps}\n${lines(steps.map((step) => say.next(step)))}`,
        say.seeDocs(`docs/${docs}`),
      ),
    );
  }
  if (parts.length > 0) return paragraphs(...parts);
  const [status] = frame.statuses;
  return status === undefined ? say.notUnderstood : statusText(status, say);
}

/** Flags whose explanation names the status. */
function statusText(status: number, say: Answering['say']): string {
  const found = Object.entries(responseFlags).filter(([, { summary }]) => summary.includes(String(status)));
  if (found.length === 0) return paragraphs(say.statusUnknown(status), say.whichRequest(status));
  return paragraphs(
    say.statusMeans(status),
    lines(found.map(([flag, { summary }]) => `${flag}: ${summary}`)),
    say.whichRequest(status),
  );
}

/** A passage that has fewer of the question's terms answers another question. */
const leastCoverage = 0.6;
const mostPassages = 3;

/** How something is done, in the words of the documentation and with an example; nothing is said that does not stand there. */
export async function* howToAnswer({ frame, call, say }: Answering): Answer {
  const query = docsQuery(frame.question);
  const hits = query === '' ? [] : ((yield* call('search_docs', { query, limit: 20 })) as wire.DocsAnswer).hits;
  const fitting = hits.filter(({ coverage }) => coverage >= leastCoverage);
  if (fitting.length === 0) return paragraphs(say.noDocs, say.docsMissing);
  const best = fitting[0]?.score ?? 0;
  const passages = firstOfEach(fitting.filter(({ manifest, score }) => manifest === null && score > best / 10)).slice(
    0,
    mostPassages,
  );
  const example = hits.find(({ manifest, coverage }) => manifest !== null && coverage >= leastCoverage / 2);
  return paragraphs(
    passages.length > 0 && `${say.fromDocs}\n${lines(passages.map(({ link, text }) => `${link}: ${short(text)}`))}`,
    example &&
      paragraphs(
        `${say.fromExample(example.link)}${example.text === '' ? '' : ` ${short(example.text)}`}`,
        `\`\`\`yaml\n${firstLines(example.manifest ?? '')}\n\`\`\``,
      ),
  );
}

const firstOfEach = <T extends { readonly link: string }>(hits: readonly T[]): T[] =>
  [...new Map(hits.toReversed().map((hit) => [hit.link, hit])).values()].reverse();

const short = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

const mostLines = 40;

/** Without comments above, which are in the sentence. */
function firstLines(manifest: string): string {
  const all = manifest.replace(/^(#.*\n)+/, '').split('\n');
  return all.length > mostLines ? [...all.slice(0, mostLines), '# …'].join('\n') : all.join('\n');
}

/** What could be a bare topic, such as "sticky sessions", is looked up; else it is said what was not understood. */
export async function* unknownAnswer({ frame, call, say }: Answering): Answer {
  const { question, names } = frame;
  const query = docsQuery(question);
  const { hits } =
    query === '' ? { hits: [] } : ((yield* call('search_docs', { query, limit: 20 })) as wire.DocsAnswer);
  if (hits.some(({ coverage }) => coverage === 1) && query.split(/ /).length <= 4)
    return yield* howToAnswer({ frame, call, say });
  const unknown = names.unknown.slice(0, 5).map((word) => `“${clusterText(word)}”`);
  return paragraphs(
    unknown.length === 0 ? say.notUnderstood : say.notUnderstoodWords(unknown.join(', ')),
    names.near.length > 0 && say.didYouMean(names.near.map(nameOf).join(say.or)),
    say.canAsk,
  );
}
