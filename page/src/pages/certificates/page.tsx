import { apiUrl, type CertificateUse } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import {
  Badge,
  Filtered,
  type GridColumn,
  Loaded,
  Name,
  ObjectLink,
  type State,
  Title,
  Unknown,
} from '../../parts/index.ts';
import { count, day } from '../../text/index.ts';
import { certificateWords } from './words.ts';

const states: Readonly<Record<CertificateUse['state'], State>> = {
  valid: 'ok',
  expiring: 'warning',
  expired: 'failing',
  'not-yet-valid': 'failing',
  unusable: 'failing',
  missing: 'failing',
};

/** Days that make an ending certificate urgent. */
const urgentDays = 7;

/** Certificates of listeners, and authorities, the one that ends first on top. */
export function Page() {
  const words = certificateWords();
  const certificates = useLive<readonly CertificateUse[]>(apiUrl('/v1/certificates'), { everyMs: 30_000 });
  return (
    <>
      <Title at={certificates.at}>{words.title}</Title>
      <Loaded live={certificates}>
        {(rows) => (
          <Filtered
            label={words.title}
            filter={words.filter}
            rows={rows}
            columns={columnsOf()}
            keyOf={({ kind, namespace, name }) => `${kind} ${namespace}/${name}`}
            textOf={textOf}
            shown={words.shown}
            empty={words.empty}
            none={words.none}
            sort="left"
          />
        )}
      </Loaded>
    </>
  );
}

const textOf = ({ kind, namespace, name, sans, issuer, subject, usedBy }: CertificateUse): string =>
  [
    kind,
    `${namespace}/${name}`,
    ...(sans ?? []),
    issuer,
    subject,
    ...usedBy.map((use) => `${use.namespace}/${use.name}`),
  ]
    .join(' ')
    .toLowerCase();

/** What has no end comes first: it is missing or cannot be read. */
const leftOf = ({ daysLeft }: CertificateUse): number => daysLeft ?? Number.NEGATIVE_INFINITY;

const stateOf = ({ state, daysLeft }: CertificateUse): State =>
  state === 'expiring' && (daysLeft ?? 0) < urgentDays ? 'failing' : states[state];

function columnsOf(): readonly GridColumn<CertificateUse>[] {
  const words = certificateWords();
  return [
    {
      key: 'name',
      title: words.name,
      width: 'minmax(9rem, 1.5fr)',
      cell: ({ kind, namespace, name }) => (
        <>
          <Name>{namespace === '' ? name : `${namespace}/${name}`}</Name>{' '}
          {kind !== 'Secret' && <span class="quiet">{kind}</span>}
        </>
      ),
      compare: (a, b) => `${a.namespace}/${a.name}`.localeCompare(`${b.namespace}/${b.name}`),
    },
    {
      key: 'state',
      title: words.state,
      width: '9rem',
      cell: (row) => <Badge state={stateOf(row)}>{words[row.state]}</Badge>,
      compare: (a, b) => a.state.localeCompare(b.state),
    },
    {
      key: 'left',
      title: words.left,
      width: '6rem',
      isNumber: true,
      cell: ({ daysLeft }) => (daysLeft === null ? <Unknown why={words.notRead} /> : count(daysLeft)),
      compare: (a, b) => leftOf(a) - leftOf(b),
    },
    {
      key: 'ends',
      title: words.ends,
      width: '7.5rem',
      cell: ({ notAfter }) => (notAfter === null ? <Unknown why={words.notRead} /> : day(new Date(notAfter))),
    },
    {
      key: 'names',
      title: words.names,
      width: 'minmax(9rem, 2fr)',
      cell: ({ sans, subject }) => (
        <>
          <Name>{sans?.[0] ?? subject ?? ''}</Name>{' '}
          {sans !== null && sans.length > 1 && <span class="quiet">{words.more(sans.length - 1)}</span>}
        </>
      ),
    },
    {
      key: 'issuer',
      title: words.issuer,
      width: 'minmax(7rem, 1fr)',
      cell: ({ issuer }) => <Name>{issuer ?? ''}</Name>,
    },
    {
      key: 'usedBy',
      title: words.usedBy,
      width: 'minmax(8rem, 1.5fr)',
      cell: ({ usedBy: [first, ...rest] }) =>
        first && (
          <>
            {/* Names of listeners begin with the namespace. */}
            <ObjectLink object={first.kind === 'Listener' ? { ...first, namespace: null } : first} withKind={false} />{' '}
            {rest.length > 0 && <span class="quiet">{words.more(rest.length)}</span>}
          </>
        ),
    },
  ];
}
