import { ownHeaderPrefix } from '../../../../ir/index.ts';
import { compileFault, largestRegexWeight, regexWeight } from '../../../model/index.ts';
import { framing } from './header-names.ts';
import { Re2Steps } from './re2-steps.ts';

/** Names of headers come in lower case. */
export const ignoringCase = (pattern: string): string => `(?i:${pattern})`;

/** What is wrong with an expression for names of headers that are to be removed. */
export function patternFault(pattern: string): string | undefined {
  const what = `pattern ${JSON.stringify(pattern)}`;
  // Before it is compiled: that is what takes the time.
  const weight = regexWeight(ignoringCase(pattern));
  if (weight > largestRegexWeight)
    return `pattern is too large: it has about ${weight} steps, and may have ${largestRegexWeight}; repeat less in it`;
  const wrong = compileFault(pattern) ?? compileFault(ignoringCase(pattern));
  if (wrong !== undefined) return `${what} ${wrong}`;
  const steps = new Re2Steps(ignoringCase(pattern));
  const read = (text: string) => [...text].reduce((reached, next) => steps.after(reached, next), steps.start());
  const concerned = framing.find((name) => read(name).isMatch);
  if (concerned !== undefined)
    return `${what} matches ${concerned}, which says how a message is read: let it match less`;
  const own = read(ownHeaderPrefix);
  return own.isMatch || own.steps.length > 0
    ? `${what} may match names that begin with ${ownHeaderPrefix}, which are for use within the proxy: begin it with what the names begin with`
    : undefined;
}
