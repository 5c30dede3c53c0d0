import { place } from '../../router/index.ts';
import { BackendDetail } from './detail.tsx';
import { BackendList } from './list.tsx';

/** All backends, or one of them. */
export function Page() {
  const [namespace, name] = place.value.segments;
  if (namespace === undefined || name === undefined) return <BackendList />;
  return <BackendDetail key={`${namespace}/${name}`} namespace={namespace} name={name} />;
}
