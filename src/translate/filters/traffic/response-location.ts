import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  HeaderMutationFilterSchema,
  packAny,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { celFormatter } from '../../resource/index.ts';

const location = "response.headers['location']";

/** The definition lets in no character that means something in an expression or in a format. */
const changed = (changes: readonly ir.LocationChange[]): string =>
  changes.reduceRight(
    (otherwise, { from, to }) =>
      `${location}.startsWith('${from}') ? ${location}.replace('${from}', '${to}', 1) : (${otherwise})`,
    location,
  );

/** An answer without the header gets none. */
export function responseLocation(changes: readonly ir.LocationChange[]): Any {
  const mutation = create(HeaderMutationFilterSchema, {
    mutations: {
      responseMutations: [
        {
          action: {
            case: 'append',
            value: {
              header: { key: 'location', value: `%CEL(${changed(changes)})%` },
              appendAction: Append.OVERWRITE_IF_EXISTS,
            },
          },
        },
      ],
      formatters: [celFormatter],
    },
  });
  return packAny(HeaderMutationFilterSchema, mutation);
}
