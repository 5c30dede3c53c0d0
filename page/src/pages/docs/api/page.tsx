import { useMemo } from 'preact/hooks';
import { apiUrl } from '../../../api/index.ts';
import { type Live, useLive } from '../../../live/index.ts';
import { Gone, Loaded } from '../../../parts/index.ts';
import { link, place } from '../../../router/index.ts';
import { Contents } from './contents.tsx';
import { OperationPage } from './operation.tsx';
import { type OpenApi, type Reference, referenceOf } from './reference.ts';
import { SchemaPage } from './schema.tsx';
import { apiWords } from './words.ts';

/** It is the same as long as the control plane runs. */
const everyMs = 3_600_000;

/** The reference of the admin API, made of what it says of itself: `#/docs/api`, `#/docs/api/OPERATION`, `#/docs/api/schema/NAME`. */
export function ApiReference() {
  const live = useLive<OpenApi>(apiUrl('/openapi.json'), { everyMs, on: [] });
  const reference = useMemo(() => live.data && referenceOf(live.data), [live.data]);
  return <Loaded live={live as Live<unknown>}>{() => reference && <Shown reference={reference} />}</Loaded>;
}

function Shown({ reference }: { readonly reference: Reference }) {
  const [, first, second] = place.value.segments;
  if (first === undefined) return <Contents reference={reference} />;
  if (first === 'schema' && second !== undefined && Object.hasOwn(reference.schemas, second))
    return <SchemaPage key={second} name={second} reference={reference} />;
  const operation = reference.operations.find(({ operationId }) => operationId === first);
  if (operation !== undefined) return <OperationPage key={first} operation={operation} reference={reference} />;
  const { gone, all } = apiWords();
  return <Gone back={{ href: link('docs', ['api']), text: all }}>{gone}</Gone>;
}
