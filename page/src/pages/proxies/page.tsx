import { place } from '../../router/index.ts';
import { ProxyDetail } from './detail.tsx';
import { ProxyList } from './list.tsx';

/** All proxies, or one of them. */
export function Page() {
  const [name] = place.value.segments;
  return name === undefined ? <ProxyList /> : <ProxyDetail key={name} name={name} />;
}
