import { conditionReasons } from '../../gateway-api/index.ts';
import { CliError } from '../kit/cli-error.ts';

interface Explanation {
  readonly meaning: string;
  readonly remedy: string;
}

/** Every error code of the admin API and every reason of a condition that Gatewright writes. */
async function explanations(): Promise<ReadonlyMap<string, Explanation>> {
  // The whole admin API comes with its codes: only this command needs it.
  const { errorCodes } = await import('../../admin/index.ts');
  return new Map<string, Explanation>([...Object.entries(errorCodes), ...Object.entries(conditionReasons)]);
}

/** What a code or reason means, and what to do; in any case of letters. Throws a CliError for one that is not known. */
export async function explain(word: string): Promise<string> {
  const known = await explanations();
  const found = [...known].find(([name]) => name.toLowerCase() === word.toLowerCase());
  if (!found) {
    const all = [...known.keys()].sort().join(', ');
    throw new CliError(`${JSON.stringify(word)} is no code or reason of ours; known are ${all}`);
  }
  const [name, { meaning, remedy }] = found;
  return `${name}
${meaning}
${remedy}`;
}
