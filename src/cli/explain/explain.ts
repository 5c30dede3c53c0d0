import { CliError } from '../kit/cli-error.ts';

/** What a code, reason or flag means, and what to do; in any case of letters. Throws a CliError for one that is not known. */
export async function explain(word: string): Promise<string> {
  // The whole admin API comes with its codes: only this command needs it.
  const { explanationOf, nearestCode, catalogue } = await import('../../admin/index.ts');
  const found = explanationOf(word);
  if (!found) {
    const all = catalogue.map(({ code }) => code).join(', ');
    throw new CliError(
      `${JSON.stringify(word)} is no code, reason or flag of ours${nearestCode(word)}; known are ${all}`,
    );
  }
  const { code, summary, causes, steps, docs } = found;
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `- ${item}`)];
  return [code, summary, ...list('causes', causes), ...list('do', steps), `docs/${docs}`].join('\n');
}
