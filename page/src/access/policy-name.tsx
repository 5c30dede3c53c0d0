import { Name } from '../parts/index.ts';
import { link } from '../router/index.ts';
import { mayWrite } from '../session/index.ts';

/** An AccessPolicy; a link to its manifest for those who may change it. */
export function PolicyName({ policy }: { readonly policy: { readonly namespace: string; readonly name: string } }) {
  const { namespace, name } = policy;
  const text = <Name>{`${namespace}/${name}`}</Name>;
  return (
    <>AccessPolicy {mayWrite.value ? <a href={link('edit', ['AccessPolicy', namespace, name])}>{text}</a> : text}</>
  );
}
