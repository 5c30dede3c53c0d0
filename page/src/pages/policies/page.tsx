import { apiUrl, type Topology } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import {
  Badge,
  compareStates,
  Filtered,
  type GridColumn,
  Loaded,
  Message,
  nameColumn,
  type State,
  Title,
} from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { policyWords } from './words.ts';

type Policy = Topology['nodes'][number];

const states: Readonly<Record<Policy['status'], State>> = {
  healthy: 'ok',
  degraded: 'warning',
  failed: 'failing',
  unknown: 'unknown',
};

/** Far more than a person reads. */
const mostPolicies = 2_000;

/** Policies of every kind, the worst first, each with its place on the map. */
export function Page() {
  const words = policyWords();
  const policies = useLive<Topology>(apiUrl('/v1/topology', { type: 'policy', limit: mostPolicies }));
  return (
    <>
      <Title at={policies.at}>{words.title}</Title>
      <Loaded live={policies}>
        {({ nodes }) => (
          <Filtered
            label={words.title}
            filter={words.filter}
            rows={nodes}
            columns={columnsOf()}
            keyOf={({ id }) => id}
            hrefOf={(row) => link('map', [], { focus: `${kindOf(row)}/${row.namespace}/${row.name}` })}
            textOf={(row) => `${kindOf(row)} ${row.namespace}/${row.name} ${row.detail}`.toLowerCase()}
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

const kindOf = ({ kind, id }: Policy): string => kind ?? id.split('/')[1] ?? '';

function columnsOf(): readonly GridColumn<Policy>[] {
  const words = policyWords();
  return [
    nameColumn({ title: words.name, width: 'minmax(10rem, 1.5fr)' }),
    {
      key: 'kind',
      title: words.kind,
      width: '12rem',
      cell: (row) => kindOf(row),
      compare: (a, b) => kindOf(a).localeCompare(kindOf(b)),
    },
    {
      key: 'state',
      title: words.state,
      width: '9rem',
      cell: ({ status }) => <Badge state={states[status]}>{words[status]}</Badge>,
      compare: (a, b) => compareStates(states[a.status], states[b.status]),
    },
    {
      key: 'detail',
      title: words.detail,
      width: 'minmax(12rem, 3fr)',
      cell: ({ detail }) => <Message>{detail}</Message>,
    },
  ];
}
