import { apiUrl, type Gateway } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import {
  Badge,
  compareStates,
  conditionState,
  Filtered,
  type GridColumn,
  Loaded,
  Name,
  nameColumn,
  type State,
  Title,
} from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { count } from '../../text/index.ts';
import { gatewayWords } from './words.ts';

export function GatewayList() {
  const words = gatewayWords();
  const gateways = useLive<readonly Gateway[]>(apiUrl('/v1/gateways'));
  return (
    <>
      <Title at={gateways.at}>{words.title}</Title>
      <Loaded live={gateways}>
        {(rows) => (
          <Filtered
            label={words.title}
            filter={words.filter}
            rows={rows}
            columns={columnsOf()}
            keyOf={({ namespace, name }) => `${namespace}/${name}`}
            hrefOf={({ namespace, name }) => link('gateways', [namespace, name])}
            textOf={({ namespace, name, gatewayClass, addresses }) =>
              [`${namespace}/${name}`, gatewayClass, ...addresses.map(({ value }) => value)].join(' ').toLowerCase()
            }
            shown={words.shown}
            empty={words.empty}
            none={words.none}
            sort="state"
          />
        )}
      </Loaded>
    </>
  );
}

type Conditioned = Pick<Gateway['listeners'][number], 'conditions'>;

/** Whether every condition means well. */
const isFine = ({ conditions }: Conditioned): boolean => conditions.every((each) => conditionState(each) === 'ok');

/** How a Gateway is: its own conditions, then those of its listeners. */
function gatewayState({ conditions, listeners }: Gateway): {
  readonly state: State;
  readonly word: 'fine' | 'notProgrammed' | 'partly';
} {
  if (!isFine({ conditions })) return { state: 'failing', word: 'notProgrammed' };
  return listeners.every(isFine) ? { state: 'ok', word: 'fine' } : { state: 'warning', word: 'partly' };
}

function columnsOf(): readonly GridColumn<Gateway>[] {
  const words = gatewayWords();
  return [
    nameColumn({ title: words.name, width: 'minmax(10rem, 2fr)' }),
    {
      key: 'state',
      title: words.state,
      width: '11rem',
      cell: (row) => <Badge state={gatewayState(row).state}>{words[gatewayState(row).word]}</Badge>,
      compare: (a, b) => compareStates(gatewayState(a).state, gatewayState(b).state),
    },
    { key: 'class', title: words.class, width: '8rem', cell: ({ gatewayClass }) => <Name>{gatewayClass}</Name> },
    {
      key: 'addresses',
      title: words.addresses,
      width: 'minmax(8rem, 1fr)',
      cell: ({ addresses }) => <Name>{addresses.map(({ value }) => value).join(' ')}</Name>,
    },
    {
      key: 'listeners',
      title: words.listeners,
      width: '6rem',
      cell: ({ listeners }) => words.of(listeners.filter(isFine).length, listeners.length),
    },
    {
      key: 'routes',
      title: words.routes,
      width: '5rem',
      isNumber: true,
      cell: ({ attachedRoutes }) => count(attachedRoutes),
      compare: (a, b) => a.attachedRoutes - b.attachedRoutes,
    },
    {
      key: 'proxies',
      title: words.proxies,
      width: '5rem',
      isNumber: true,
      cell: ({ clients }) => count(clients.length),
      compare: (a, b) => a.clients.length - b.clients.length,
    },
  ];
}
