import { apiUrl, type LightBackend, type Traffic } from '../../api/index.ts';
import { trafficEvents, useLive } from '../../live/index.ts';
import {
  Badge,
  compareStates,
  Filtered,
  type GridColumn,
  Loaded,
  Name,
  nameColumn,
  Title,
  Unknown,
} from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { count, decimal, percent } from '../../text/index.ts';
import { errorRatio, fails, perSecond, useAiFigures } from './ai.ts';
import { stateOfBackend } from './verdict.ts';
import { backendWords } from './words.ts';

/** Ports of Services that routes forward to, with what is wrong with them. */
export function BackendList() {
  const words = backendWords();
  const backends = useLive<readonly LightBackend[]>(apiUrl('/v1/backends', { view: 'light' }), { on: trafficEvents });
  const aiOf = useAiFigures(backends.data?.some(({ kind }) => kind === 'AIService') ?? false);
  const traffic = useLive<Traffic>(apiUrl('/v1/traffic', { by: 'backend', window: '5m', limit: 500 }));
  return (
    <>
      <Title at={backends.at}>{words.title}</Title>
      <Loaded live={backends}>
        {(rows) => (
          <Filtered
            label={words.title}
            filter={words.filter}
            rows={rows}
            columns={columnsOf(traffic.data, aiOf)}
            keyOf={({ namespace, name }) => `${namespace}/${name}`}
            hrefOf={({ namespace, name }) => link('backends', [namespace, name])}
            textOf={({ namespace, name, protocol }) => `${namespace}/${name} ${protocol}`.toLowerCase()}
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

function columnsOf(
  traffic: Traffic | undefined,
  aiOf: ReturnType<typeof useAiFigures>,
): readonly GridColumn<LightBackend>[] {
  const words = backendWords();
  const figures = new Map(traffic?.items.map((item) => [`${item.namespace}/${item.name}`, item]));
  const figure = (row: LightBackend) => {
    const ai = aiOf(row);
    if (ai !== undefined && ai.requests > 0) return { perSecond: perSecond(ai), errorRatio: errorRatio(ai) };
    return figures.get(`${row.namespace}/${row.name}`);
  };
  const stateOf = (row: LightBackend) => stateOfBackend(row, fails(aiOf(row)));
  const unknown = <Unknown why={words.noTraffic} />;
  const readyOf = ({ endpoints }: LightBackend) => endpoints.filter(({ ready }) => ready).length;
  return [
    nameColumn({ title: words.name, width: 'minmax(10rem, 2fr)' }),
    {
      key: 'state',
      title: words.state,
      width: 'minmax(10rem, 1fr)',
      cell: (row) => {
        const { state, verdict } = stateOf(row);
        return <Badge state={state}>{words[verdict]}</Badge>;
      },
      compare: (a, b) => compareStates(stateOf(a).state, stateOf(b).state),
    },
    {
      key: 'ready',
      title: words.ready,
      width: '6rem',
      cell: (row) =>
        row.hostname === null ? words.of(readyOf(row), row.endpoints.length) : <Name>{row.hostname}</Name>,
      compare: (a, b) => readyOf(a) - readyOf(b),
    },
    { key: 'protocol', title: words.protocol, width: '6rem', cell: ({ protocol }) => protocol },
    {
      key: 'users',
      title: words.users,
      width: '5rem',
      isNumber: true,
      cell: ({ referencedBy }) => count(referencedBy.count),
      compare: (a, b) => a.referencedBy.count - b.referencedBy.count,
    },
    {
      key: 'rate',
      title: words.rate,
      width: '5rem',
      isNumber: true,
      cell: (row) => (figure(row) === undefined ? unknown : decimal(figure(row)?.perSecond ?? 0)),
      compare: (a, b) => (figure(a)?.perSecond ?? 0) - (figure(b)?.perSecond ?? 0),
    },
    {
      key: 'errors',
      title: words.errors,
      width: '5rem',
      isNumber: true,
      cell: (row) => (figure(row) === undefined ? unknown : percent(figure(row)?.errorRatio ?? 0)),
      compare: (a, b) => (figure(a)?.errorRatio ?? 0) - (figure(b)?.errorRatio ?? 0),
    },
  ];
}
