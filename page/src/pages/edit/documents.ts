import { isMap, isScalar, parseAllDocuments, parseDocument, stringify } from 'yaml';
import type { ManagedResource } from '../../api/index.ts';

/** One document of a text. */
export interface ManifestPart {
  /** Exactly as it stands there. */
  readonly text: string;
  /** Where it begins in the whole text. */
  readonly start: number;
}

/** The documents that hold something. In YAML, `---` at the beginning of a line always begins one. */
export function partsOf(text: string): readonly ManifestPart[] {
  const starts = [0, ...[...text.matchAll(/^---(?=\s|$)/gm)].map(({ index }) => index + 3)];
  return starts
    .map((start, at) => ({ start, text: text.slice(start, (starts[at + 1] ?? text.length + 3) - 3) }))
    .filter((part) => /^\s*[^#\s]/m.test(part.text));
}

/** What a document says it is; empty where it does not. */
export function headOf(text: string): { readonly kind: string; readonly namespace: string; readonly name: string } {
  const document = parseDocument(text, { logLevel: 'silent' });
  const read = (...path: readonly string[]): string => {
    const value = isMap(document.contents) ? document.getIn(path) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return { kind: read('kind'), namespace: read('metadata', 'namespace'), name: read('metadata', 'name') };
}

/** Where `path`, such as `spec.rules[0].matches`, stands in a text; its longest part that is there. */
export function rangeOfPath(part: ManifestPart, path: string): readonly [number, number] | undefined {
  const document = parseAllDocuments(part.text, { logLevel: 'silent' })[0];
  if (document === undefined || !('contents' in document)) return undefined;
  const steps = path.split(/[.[\]]+/).filter(Boolean);
  for (let length = steps.length; length > 0; length -= 1) {
    const node = document.getIn(
      steps.slice(0, length).map((step) => (/^\d+$/.test(step) ? Number(step) : step)),
      true,
    );
    const range = isScalar(node) || isMap(node) ? node.range : undefined;
    if (range) return [part.start + range[0], part.start + range[1]];
  }
  return undefined;
}

/** What users write of an object, and the version that it is a change of. */
export function textOf({ resource }: ManagedResource): string {
  const {
    apiVersion,
    kind,
    metadata,
    status: _,
    ...rest
  } = resource as Readonly<Record<string, unknown>> & {
    readonly metadata: Readonly<Record<string, unknown>>;
  };
  const { name, namespace, labels, annotations, resourceVersion } = metadata;
  const written = { name, namespace, labels, annotations, resourceVersion };
  const kept = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
  return stringify({ apiVersion, kind, metadata: kept, ...rest }, { aliasDuplicateObjects: false });
}

/** The text as a change of another version. */
export const onVersion = (text: string, version: string): string =>
  text.replace(/^(\s*resourceVersion:\s*).*$/m, `$1${JSON.stringify(version)}`);

export const firstText = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: my-route
  namespace: default
spec:
  parentRefs:
    - name: my-gateway
  rules:
    - backendRefs:
        - name: my-service
          port: 80
`;
