import { place } from '../../router/index.ts';
import { RouteDetail } from './detail.tsx';
import { RouteList } from './list.tsx';

/** All routes, or one of them. */
export function Page() {
  const [kind, namespace, name] = place.value.segments;
  if (kind === undefined || namespace === undefined || name === undefined) return <RouteList />;
  return <RouteDetail key={`${kind}/${namespace}/${name}`} kind={kind} namespace={namespace} name={name} />;
}
