import { listings } from '../../admin/columns/index.ts';
import { describedKinds, list, wantedOf } from '../describe/find-object.ts';
import { findListable } from '../get/get.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import { shells } from './completion.ts';
import type { TypedLine } from './typed-line.ts';

/** Words that may come next. `files`: the shell knows them. */
export type Candidates = readonly string[] | 'files';

/** Asks a control plane only when its answer is needed. */
export type Ask = <T>(work: (client: AdminClient) => Promise<T>) => Promise<T>;

type Source = (line: TypedLine, ask: Ask) => Promise<Candidates>;

/** Names that are offered at most. */
const mostOffered = 200;

/**
 * Of names that a server gives, those that a shell takes as they are. All others are left out: what is completed is run later,
 * and a server may lie.
 */
const plain = /^[A-Za-z0-9][\w./-]*$/;

/** What the last word of a line may become: at most 200 plain words that begin with it. Rejects when a control plane is needed and does not answer. */
export async function candidates(line: TypedLine, ask: Ask): Promise<Candidates> {
  const found = await sourceOf(line)(line, ask);
  if (found === 'files') return found;
  const isFlag = line.optionOf === undefined && line.word.startsWith('-');
  const fitting = found.filter((each) => each.startsWith(line.word) && (plain.test(each) || isFlag));
  return [...new Set(fitting)].sort().slice(0, mostOffered);
}

function sourceOf({ command, operands, word, optionOf }: TypedLine): Source {
  if (optionOf?.argChoices !== undefined) return words(optionOf.argChoices);
  if (optionOf !== undefined) return valuesOf[optionOf.long ?? ''] ?? words([]);
  if (word.startsWith('-')) return words(command.options.flatMap(({ long }) => long ?? []));
  if (command.commands.length > 0)
    return words(command.commands.map((its) => its.name()).filter((name) => !name.startsWith('_')));
  const { registeredArguments: all } = command;
  const argument = all[operands.length] ?? all.find(({ variadic }) => variadic);
  if (argument === undefined) return words([]);
  if (argument.argChoices !== undefined) return words(argument.argChoices);
  return operandsOf[command.name()]?.[operands.length] ?? files;
}

const words =
  (all: readonly string[]): Source =>
  async () =>
    all;

const files: Source = async () => 'files';

interface Row {
  readonly namespace: string;
  readonly name: string;
}

/** Names as a command takes them: with the namespace where one is typed. */
const namesOf = (rows: readonly Row[], { word, options }: TypedLine): readonly string[] =>
  rows
    .filter(({ namespace }) => options.namespace === undefined || namespace === options.namespace)
    .map(({ namespace, name }) => (word.includes('/') ? `${namespace}/${name}` : name));

/** The first page of the objects of a kind; of routes, of those with that text in them. */
async function rowsOf(ask: Ask, kind: Parameters<typeof list>[1], word: string): Promise<readonly Row[]> {
  const limit = '500';
  if (!kind.endsWith('Route')) return await ask((client) => list(client, kind, new URLSearchParams({ limit })));
  const query = new URLSearchParams({ limit, q: word.split('/').at(-1) ?? '' });
  const found = await ask((client) => list(client, 'Route', query));
  return found.filter((each) => kind === 'Route' || each.kind === kind);
}

const routes: Source = async (line, ask) => namesOf(await rowsOf(ask, 'Route', line.word), line);
const nodes: Source = async ({ word }, ask) => (await rowsOf(ask, 'Node', word)).map(({ name }) => name);
const gatewaysOf = (ask: Ask): Promise<readonly Row[]> =>
  ask((client) => client.get<readonly Row[]>('/v1/gateways?limit=500'));

const gateways: Source = async (_, ask) => (await gatewaysOf(ask)).map(({ namespace, name }) => `${namespace}/${name}`);

const namespaces: Source = async (_, ask) => {
  const rows = await Promise.all([rowsOf(ask, 'Route', ''), gatewaysOf(ask)]);
  return rows.flat().map(({ namespace }) => namespace);
};

/** `KIND`, or `KIND/NAME`. */
const kindsOrObjects: Source = async (line, ask) => {
  const [kind = '', ...rest] = line.word.split('/');
  if (rest.length === 0) return describedKinds;
  const names = await objects({ ...line, operands: [kind], word: rest.join('/') }, ask);
  return names === 'files' ? names : names.map((name) => `${kind}/${name}`);
};

const objects: Source = async (line, ask) => {
  const { kind } = wantedOf(line.operands[0] ?? '', 'any', undefined);
  return namesOf(await rowsOf(ask, kind, line.word), line);
};

const listed: Source = async (line, ask) => {
  const { path, named = (row) => row as Row } = findListable(line.operands[0] ?? '');
  const query = new URLSearchParams({ limit: '500', ...(path === '/v1/routes' && { q: line.word }) });
  const rows = await ask((client) => client.get<readonly unknown[]>(`${path}?${query}`));
  return namesOf(rows.map(named), line);
};

const codes: Source = async () => {
  // The whole admin API comes with its codes.
  const { catalogue } = await import('../../admin/index.ts');
  return catalogue.map(({ code }) => code);
};

/** Arguments by command, in their order. All others are files. */
const operandsOf: Readonly<Record<string, readonly Source[]>> = {
  get: [words(Object.keys(listings)), listed],
  describe: [kindsOrObjects, objects],
  logs: [routes],
  dump: [nodes],
  explain: [codes],
  completion: [words(shells)],
  'route-test': [words([])],
};

/** Values by option; of those that are not here there is nothing to offer. */
const valuesOf: Readonly<Record<string, Source>> = {
  '--gateway': gateways,
  '--node': nodes,
  '--clear': nodes,
  '--namespace': namespaces,
  '--file': files,
  '--config': files,
  '--token-file': files,
  '--kubeconfig': files,
};
