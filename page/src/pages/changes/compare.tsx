import { useMemo } from 'preact/hooks';
import { apiUrl, type PastSnapshot, type SnapshotDiff } from '../../api/index.ts';
import { FoldedDifference, WeakerList } from '../../differences/index.ts';
import { useLive } from '../../live/index.ts';
import { Loaded, Name, ObjectLink, Panel, readRouteName } from '../../parts/index.ts';
import { changeQuery, link, queryValue } from '../../router/index.ts';
import { timeOfDay } from '../../text/index.ts';
import { type Difference, differenceKinds, pairedDifferences } from './paired.ts';
import { changeWords } from './words.ts';

/** The most that the API compares at once. */
const mostDifferences = 500;

/** In the place of `to`: whatever snapshot is the newest. */
export const newest = 'newest';

/** What lies between two snapshots, as `from` and `to` of the address name them; without `from` the one before. */
export function Comparison() {
  const words = changeWords();
  const [from, to] = [queryValue('from'), queryValue('to').replace(newest, '')];
  const snapshots = useLive<readonly PastSnapshot[]>(apiUrl('/v1/snapshots'));
  const diff = useLive<SnapshotDiff>(apiUrl('/v1/diff', { from, to, limit: mostDifferences }), {
    // What lies between two that are named stays as it is.
    ...(from !== '' && to !== '' && { everyMs: 600_000, on: [] }),
  });
  const { data = [] } = snapshots;
  return (
    <Panel title={words.comparison} actions={<a href={link('changes')}>{words.close}</a>}>
      <p class="quiet">{words.comparisonHint}</p>
      <div class="tools">
        <Picked name="from" value={diff.data?.from ?? from} snapshots={data} />
        <Picked name="to" value={diff.data?.to ?? to} snapshots={data} />
      </div>
      <Loaded live={diff}>{(answer) => <Compared diff={answer} />}</Loaded>
    </Panel>
  );
}

function Picked({
  name,
  value,
  snapshots,
}: {
  readonly name: 'from' | 'to';
  readonly value: string;
  readonly snapshots: readonly PastSnapshot[];
}) {
  const words = changeWords();
  return (
    <label class="choice">
      {words[name]}{' '}
      <select value={value} onChange={(event) => changeQuery({ [name]: event.currentTarget.value })}>
        {!snapshots.some(({ id }) => id === value) && <option value={value}>{value.slice(0, 12)}</option>}
        {snapshots.map((snapshot) => (
          <option key={`${snapshot.at} ${snapshot.id}`} value={snapshot.id}>
            {labelOf(snapshot)}
          </option>
        ))}
      </select>
    </label>
  );
}

function labelOf({ id, at, changed, changedCount }: PastSnapshot): string {
  const [first] = changed;
  const what = first === undefined ? '' : `, ${first.kind} ${first.namespace}/${first.name}`;
  return `${timeOfDay(new Date(at))}, ${id.slice(0, 12)}${what}${changedCount > 1 ? ` +${changedCount - 1}` : ''}`;
}

function Compared({ diff }: { readonly diff: SnapshotDiff }) {
  const words = changeWords();
  const { ir, total, complete, weaker } = diff;
  const differences = useMemo(() => pairedDifferences(ir), [ir]);
  return (
    <div class="compared" data-total={differences.length}>
      <WeakerList weaker={weaker} />
      {differences.length === 0 && <p>{words.same}</p>}
      {!complete && <p class="notice warning">{words.incomplete}</p>}
      {differenceKinds.map((kind) => (
        <OfKind key={kind} kind={kind} differences={differences.filter((each) => each.kind === kind)} />
      ))}
      {total > ir.length && <p class="quiet">{words.moreDifferences(total - ir.length)}</p>}
    </div>
  );
}

function OfKind({
  kind,
  differences,
}: {
  readonly kind: Difference['kind'];
  readonly differences: readonly Difference[];
}) {
  if (differences.length === 0) return null;
  const words = changeWords();
  return (
    <section>
      <h3>
        {words[kind]} ({differences.length})
      </h3>
      {differences.map((each) => (
        <FoldedDifference
          key={each.key}
          before={each.before}
          after={each.after}
          isOpen={differences.length === 1}
          links={each.route !== '' && <ObjectLink object={readRouteName(each.route)} />}
        >
          <span class={`operation ${operationOf(each)}`}>{words[operationOf(each)]}</span> <Subject of={each} />
        </FoldedDifference>
      ))}
    </section>
  );
}

const operationOf = ({ before, after }: Difference): 'added' | 'removed' | 'changed' =>
  before === null ? 'added' : after === null ? 'removed' : 'changed';

function Subject({ of: { route, name, gateway } }: { readonly of: Difference }) {
  const object = readRouteName(route);
  return (
    <>
      {route !== '' && (
        <>
          {object.kind} <Name>{`${object.namespace}/${object.name}`}</Name> <span class="quiet">
            {object.rest}
          </span>{' '}
        </>
      )}
      <Name>{name}</Name>{' '}
      <span class="quiet">
        Gateway <Name>{gateway}</Name>
      </span>
    </>
  );
}
