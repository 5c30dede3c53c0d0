import { parse } from '@bufbuild/cel';
import * as ir from '../../ir/index.ts';
import { celNestingFault, celPlace, celSyntaxFault } from './cel-nesting.ts';
import { type CelNode, celPath, celText } from './cel-nodes.ts';
import { celPatternFault } from './cel-pattern.ts';
import { headerNameFault } from './text-fault.ts';

type Parsed = ReturnType<typeof parse>;

/** What is known when a request is over. The path is there without its query alone, as everywhere in logs. */
const attributes: ReadonlySet<string> = new Set([
  'request.method',
  'request.url_path',
  'request.host',
  'request.scheme',
  'request.protocol',
  'request.duration',
  'request.size',
  'request.total_size',
  'response.code',
  'response.code_details',
  'response.flags',
  'response.grpc_status',
  'response.size',
  'response.total_size',
  'response.backend_latency',
  'source.address',
  'upstream.address',
  'connection.mtls',
  'connection.tls_version',
  'connection.requested_server_name',
  'xds.route_name',
]);

const headerMaps: ReadonlySet<string> = new Set(['request.headers', 'response.headers']);

const known = [...attributes, "request.headers['NAME']", "response.headers['NAME']"].join(', ');

/** By how many arguments each has, the one before the dot among them. */
const functions: Readonly<Record<string, number>> = { ...ir.expressionFunctions, duration: 1 };

/** Why an expression cannot choose which requests are logged, each fault with `LINE:COLUMN: ` in front; empty: it can. */
export function logExpressionFaults(text: string): readonly string[] {
  const tooDeep = celNestingFault(text);
  if (tooDeep) return [tooDeep];
  let parsed: Parsed;
  try {
    parsed = parse(text);
  } catch (error) {
    return [celSyntaxFault(error)];
  }
  const faults = [...faultsIn(parsed.expr)];
  return faults.map(([node, message]) => `${placeIn(text, parsed, node)}: ${message}`);
}

const placeIn = (text: string, { sourceInfo }: Parsed, { id }: CelNode): string =>
  celPlace(text, sourceInfo?.positions[String(id)] ?? 0);

type Found = readonly [CelNode, string];

function* faultsIn(node: CelNode): Generator<Found> {
  const { exprKind } = node;
  const path = celPath(node);
  if (path !== undefined) {
    if (!attributes.has(path) && !isHeader(path)) yield [node, unknown(path)];
    return;
  }
  switch (exprKind.case) {
    case 'constExpr':
      return;
    case 'listExpr':
      for (const each of exprKind.value.elements) yield* faultsIn(each);
      return;
    case 'selectExpr':
      // `has(request.headers.name)`, and what has no name in front.
      yield* selectFaults(node, exprKind.value);
      return;
    case 'callExpr':
      yield* callFaults(node, exprKind.value);
      return;
    default:
      yield [node, 'comprehensions, maps and messages are not available'];
  }
}

const unknown = (path: string): string => `${path} is not available: known are ${known}`;

/** `request.headers.accept`. */
const isHeader = (path: string): boolean =>
  headerMaps.has(path.split('.', 2).join('.')) && path.split('.').length === 3;

function* selectFaults(
  node: CelNode,
  { operand, field, testOnly }: Extract<CelNode['exprKind'], { case: 'selectExpr' }>['value'],
): Generator<Found> {
  const path = `${(operand && celPath(operand)) ?? '…'}.${field}`;
  if (!testOnly || (!attributes.has(path) && !isHeader(path))) yield [node, unknown(path)];
}

function* callFaults(
  node: CelNode,
  { function: name, target, args }: Extract<CelNode['exprKind'], { case: 'callExpr' }>['value'],
): Generator<Found> {
  const all = [...(target ? [target] : []), ...args];
  if (!Object.hasOwn(functions, name) || functions[name] !== all.length) {
    yield [node, `${name} is not available: known are ${Object.keys(functions).join(', ')}`];
    return;
  }
  const [first, second] = all;
  const pattern = name === 'matches' && second ? patternFault(second) : undefined;
  if (pattern !== undefined) yield [second ?? node, pattern];
  const [map, key] = name === '@in' ? [second, first] : [first, second];
  if ((name === '@in' || name === '_[_]') && map && headerMaps.has(celPath(map) ?? '')) {
    const wrong = headerFault(key && celText(key));
    if (wrong !== undefined) yield [node, wrong];
    return;
  }
  for (const each of all) yield* faultsIn(each);
}

function headerFault(name: string | undefined): string | undefined {
  if (name === undefined) return 'headers want a name in quotes';
  if (name !== name.toLowerCase()) return `write the header ${name} in lower case`;
  if (ir.isOwnHeader(name)) return `header ${name} is one that proxies write for themselves`;
  return headerNameFault(name);
}

/** What a client could choose must not be compiled. */
function patternFault(node: CelNode): string | undefined {
  const pattern = celText(node);
  if (pattern === undefined) return 'matches wants its regular expression in quotes';
  const wrong = celPatternFault(pattern);
  return wrong && `the regular expression ${JSON.stringify(pattern)} ${wrong}`;
}
