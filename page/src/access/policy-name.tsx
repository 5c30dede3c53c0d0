import { Name } from '../parts/index.ts';
import { link } from '../router/index.ts';
import { mayWrite } from '../session/index.ts';

/** A policy, an AccessPolicy unless it says otherwise; a link to its manifest for those who may change it. */
export function PolicyName({
  policy,
  kind = 'AccessPolicy',
}: {
  readonly policy: { readonly namespace: string; readonly name: string };
  readonly kind?: string;
}) {
  const { namespace, name } = policy;
  const text = <Name>{`${namespace}/${name}`}</Name>;
  return (
    <>
      {kind} {mayWrite.value ? <a href={link('edit', [kind, namespace, name])}>{text}</a> : text}
    </>
  );
}
