import type * as ir from '../../../../ir/index.ts';
import { textFault } from '../../../model/index.ts';
import { nameFault } from './header-names.ts';

export type Side = 'request' | 'response';

/** By the names that Envoy has for them. What else Envoy has could show secrets, files or what other filters keep for themselves. */
const variables: Readonly<Record<string, ir.HeaderVariable>> = {
  DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT: 'clientAddress',
  PROTOCOL: 'protocol',
  ROUTE_NAME: 'route',
  DOWNSTREAM_TLS_VERSION: 'tlsVersion',
  START_TIME: 'time',
};

const pseudoHeaders: readonly string[] = [':authority', ':path', ':method', ':scheme'];

/** The parts of a value as it is written, or what is wrong with it. `%%` is a percent sign. */
export function valueParts(text: string, side: Side): readonly ir.ValuePart[] | { readonly fault: string } {
  const parts: ir.ValuePart[] = [];
  const unsafe = textFault('a value', text);
  if (unsafe !== undefined) return { fault: unsafe };
  // Text, two signs, or what stands between two signs.
  for (const [whole, escaped, operator] of text.matchAll(/[^%]+|(%%)|%([^%]*)%?/g)) {
    if (operator === undefined) {
      const before = typeof parts.at(-1) === 'string' ? parts.pop() : '';
      parts.push(`${before}${escaped ? '%' : whole}`);
    } else {
      const part =
        whole.length > 1 && whole.endsWith('%')
          ? partOf(operator, side)
          : 'a % stands alone: write %% for a percent sign';
      if (typeof part === 'string') return { fault: part };
      parts.push(part);
    }
  }
  return parts;
}

function partOf(operator: string, side: Side): Exclude<ir.ValuePart, string> | string {
  const name = Object.hasOwn(variables, operator) ? variables[operator] : undefined;
  if (name !== undefined) return { kind: 'variable', name };
  const [, of, header = ''] = /^(REQ|RESP)\(([^()]*)\)$/.exec(operator) ?? [];
  if (of === undefined || (of === 'RESP' && side === 'request'))
    return `%${operator}% is not available: use ${namesFor(side)}, or %% for a percent sign`;
  const lower = header.toLowerCase();
  const fault = of === 'REQ' && pseudoHeaders.includes(lower) ? undefined : nameFault(lower);
  return fault ?? { kind: 'header', of: of === 'REQ' ? 'request' : 'response', name: lower };
}

const namesFor = (side: Side): string =>
  [...Object.keys(variables), 'REQ(NAME)', ...(side === 'response' ? ['RESP(NAME)'] : [])]
    .map((name) => `%${name}%`)
    .join(', ');
