import { compileFault, headerNameFault, largestRegexWeight, regexWeight, textFault } from '../../../model/index.ts';
import { invalid, type Member, type MemberSpec } from './member.ts';

export const cookieMatch: Member<'cookieMatch'> = {
  resolve(spec) {
    const { name, type, value } = spec;
    const fault = headerNameFault(name) ?? textFault('value', value) ?? (isRegex(spec) ? regexFault(value) : undefined);
    if (fault !== undefined) return invalid(`cookieMatch: ${fault}`);
    return { parts: { cookie: { name, match: { kind: type === 'RegularExpression' ? 'regex' : 'exact', value } } } };
  },
};

const isRegex = ({ type }: MemberSpec<'cookieMatch'>): boolean => type === 'RegularExpression';

/** Before it is compiled: that is what takes the time. */
function regexFault(value: string): string | undefined {
  const weight = regexWeight(value);
  if (weight > largestRegexWeight)
    return `value is too large: it has about ${weight} steps, and may have ${largestRegexWeight}; repeat less in it`;
  const wrong = compileFault(value);
  return wrong === undefined ? undefined : `value ${JSON.stringify(value)} ${wrong}`;
}
