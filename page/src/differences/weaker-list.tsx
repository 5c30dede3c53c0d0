import type { DiffWeaker } from '../api/index.ts';
import { Badge, Message, ObjectLink, readRouteName } from '../parts/index.ts';
import { texts } from '../text/index.ts';

const words = texts(
  { title: 'Access becomes weaker', gateway: 'all routes of' },
  { title: 'Der Zugang wird schwächer', gateway: 'alle Routen von' },
);

/** What requests would have to show no more. It stands above all other differences. */
export function WeakerList({ weaker }: { readonly weaker: readonly DiffWeaker[] }) {
  if (weaker.length === 0) return null;
  return (
    <section class="notice warning weaker" aria-label={words().title}>
      <h3>
        <Badge state="warning">{words().title}</Badge>
      </h3>
      <ul>
        {weaker.map(({ gateway, route, message }) => (
          <li key={`${gateway} ${route} ${message}`}>
            <Subject gateway={gateway} route={route} /> <Message>{message}</Message>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Subject({ gateway, route }: Pick<DiffWeaker, 'gateway' | 'route'>) {
  return (
    <>
      {route === null && `${words().gateway} `}
      <ObjectLink object={readRouteName(route ?? `Gateway/${gateway}`)} />
    </>
  );
}
