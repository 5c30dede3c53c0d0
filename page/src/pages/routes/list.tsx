import { useMemo } from 'preact/hooks';
import { apiUrl, type RouteColumns, type Traffic } from '../../api/index.ts';
import { now, useLive } from '../../live/index.ts';
import {
  Badge,
  compareStates,
  FilterBox,
  fitsQuery,
  Grid,
  type GridColumn,
  Loaded,
  Name,
  type State,
  sorted,
  Title,
  Unknown,
} from '../../parts/index.ts';
import { changeQuery, link, queryValue } from '../../router/index.ts';
import { ago, decimal, percent } from '../../text/index.ts';
import { routeWords } from './words.ts';

interface RouteRow {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly host: string;
  readonly more: number;
  readonly gateway: string;
  readonly state: keyof typeof stateOf;
  readonly changed: number;
  /** In lower case, what the filter looks at. */
  readonly text: string;
  readonly perSecond?: number;
  readonly errorRatio?: number;
}

const stateOf = { served: 'ok', degraded: 'warning', failed: 'failing' } as const satisfies Record<string, State>;
type RouteState = keyof typeof stateOf;

/** One load of all rows; search and order are local. */
export function RouteList() {
  const words = routeWords();
  const columns = useLive<RouteColumns>(apiUrl('/v1/routes', { view: 'columns' }), {
    everyMs: 30_000,
    on: ['snapshot'],
  });
  const traffic = useLive<Traffic>(apiUrl('/v1/traffic', { by: 'route', window: '5m', limit: 500 }));
  return (
    <>
      <Title at={columns.at}>{words.title}</Title>
      <Loaded live={columns}>{(data) => <Rows columns={data} traffic={traffic.data} />}</Loaded>
    </>
  );
}

function Rows({ columns, traffic }: { readonly columns: RouteColumns; readonly traffic: Traffic | undefined }) {
  const words = routeWords();
  const rows = useMemo(() => rowsOf(columns), [columns]);
  const [query, state, sort] = [queryValue('q'), queryValue('state'), queryValue('sort') || 'state'];
  const figures = useMemo(() => figuresOf(traffic), [traffic]);
  const cells = columnsOf(figures);
  const shown = useMemo(() => {
    const fits = fitsQuery(query);
    const fitting = rows.filter((row) => (state === '' || row.state === state) && fits(row.text));
    return sorted(fitting, cells, sort);
  }, [rows, query, state, sort, figures]);
  return (
    <>
      <FilterBox label={words.filter} status={words.shown(shown.length, rows.length)}>
        <select
          aria-label={words.state}
          value={state}
          onChange={(event) => changeQuery({ state: event.currentTarget.value })}
        >
          <option value="">{words.all}</option>
          {(Object.keys(stateOf) as RouteState[]).map((name) => (
            <option key={name} value={name}>
              {words[name]}
            </option>
          ))}
        </select>
      </FilterBox>
      <Grid
        label={words.title}
        rows={shown}
        columns={cells}
        keyOf={({ kind, namespace, name }) => `${kind}/${namespace}/${name}`}
        hrefOf={({ kind, namespace, name }) => link('routes', [kind, namespace, name])}
        sort={sort}
        onSort={(next) => changeQuery({ sort: next })}
        empty={rows.length === 0 ? words.noRoutes : words.none}
      />
    </>
  );
}

type Figures = ReadonlyMap<string, { readonly perSecond: number; readonly errorRatio: number | null }>;

function figuresOf(traffic: Traffic | undefined): Figures | undefined {
  if (traffic === undefined || traffic.source === 'none') return undefined;
  return new Map(
    traffic.items.map(({ kind, namespace, name, perSecond, errorRatio }) => [
      `${kind}/${namespace}/${name}`,
      { perSecond, errorRatio },
    ]),
  );
}

function columnsOf(figures: Figures | undefined): readonly GridColumn<RouteRow>[] {
  const words = routeWords();
  const figure = ({ kind, namespace, name }: RouteRow) => figures?.get(`${kind}/${namespace}/${name}`);
  const rate = (row: RouteRow) => figure(row)?.perSecond ?? 0;
  const share = (row: RouteRow) => figure(row)?.errorRatio ?? 0;
  const unknown = <Unknown why={words.noTraffic} />;
  return [
    {
      key: 'name',
      title: words.name,
      width: 'minmax(10rem, 2fr)',
      cell: ({ namespace, name }) => <Name>{`${namespace}/${name}`}</Name>,
      compare: (a, b) => compareText(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`),
    },
    {
      key: 'kind',
      title: words.kind,
      width: '6.5rem',
      cell: ({ kind }) => kind,
      compare: (a, b) => compareText(a.kind, b.kind),
    },
    {
      key: 'host',
      title: words.hosts,
      width: 'minmax(10rem, 2fr)',
      cell: ({ host, more }) => (
        <>
          <Name>{host}</Name> {more > 0 && <span class="quiet">{words.more(more)}</span>}
        </>
      ),
      compare: (a, b) => compareText(a.host, b.host),
    },
    {
      key: 'gateway',
      title: words.gateway,
      width: 'minmax(8rem, 1fr)',
      cell: ({ gateway }) => <Name>{gateway}</Name>,
      compare: (a, b) => compareText(a.gateway, b.gateway),
    },
    {
      key: 'state',
      title: words.state,
      width: '9rem',
      cell: ({ state }) => <Badge state={stateOf[state]}>{words[state]}</Badge>,
      compare: (a, b) => compareStates(stateOf[a.state], stateOf[b.state]),
    },
    {
      key: 'rate',
      title: words.requests,
      width: '5rem',
      isNumber: true,
      cell: (row) => (figure(row) === undefined ? unknown : decimal(rate(row))),
      compare: (a, b) => rate(a) - rate(b),
    },
    {
      key: 'errors',
      title: words.errors,
      width: '5rem',
      isNumber: true,
      cell: (row) => (figure(row) === undefined ? unknown : percent(share(row))),
      compare: (a, b) => share(a) - share(b),
    },
    {
      key: 'changed',
      title: words.changed,
      width: '8rem',
      cell: ({ changed }) => (changed === 0 ? '' : ago(new Date(changed * 1000), now.value)),
      compare: (a, b) => a.changed - b.changed,
    },
  ];
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Rows out of columns, which are a tenth of the size on the way. */
function rowsOf({ dict, kind, ns, name, host, more, gw, state, changed }: RouteColumns): readonly RouteRow[] {
  return name.map((each, at) => {
    const row = {
      kind: dict.kind[kind[at] ?? 0] ?? '',
      namespace: ns[at] ?? '',
      name: each,
      host: host[at] ?? '',
      more: more[at] ?? 0,
      gateway: dict.gateway[gw[at] ?? 0] ?? '',
      state: (dict.state[state[at] ?? 0] ?? 'failed') as RouteState,
      changed: changed[at] ?? 0,
    };
    return { ...row, text: `${row.kind} ${row.namespace}/${row.name} ${row.host} ${row.gateway}`.toLowerCase() };
  });
}
