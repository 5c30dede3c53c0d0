import { place } from '../../router/index.ts';
import { GatewayDetail } from './detail.tsx';
import { GatewayList } from './list.tsx';
import { ListenerDetail } from './listener.tsx';

/** All Gateways, one of them, or one listener. */
export function Page() {
  const { page, segments } = place.value;
  const [first, second] = segments;
  if (page === 'listeners' && first !== undefined) return <ListenerDetail key={first} name={first} />;
  if (first === undefined || second === undefined) return <GatewayList />;
  return <GatewayDetail key={`${first}/${second}`} namespace={first} name={second} />;
}
