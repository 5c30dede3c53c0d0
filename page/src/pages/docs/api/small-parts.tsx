import { Fragment } from 'preact';
import { link } from '../../../router/index.ts';
import type { TypePart } from './type-of.ts';

export function Method({ method }: { readonly method: string }) {
  return <span class={`method ${method}`}>{method.toUpperCase()}</span>;
}

export function SchemaLink({ name }: { readonly name: string }) {
  return (
    <a href={link('docs', ['api', 'schema', name])} lang="en">
      {name}
    </a>
  );
}

/** The words of a type, in which names of schemas are links. */
export function Type({ parts }: { readonly parts: readonly TypePart[] }) {
  return (
    <span class="type" lang="en">
      {parts.map((part, at) => (
        <Fragment key={at}>{typeof part === 'string' ? part : <SchemaLink name={part.schema} />}</Fragment>
      ))}
    </span>
  );
}
