import type { InfrastructurePart, InfrastructureRecord } from './record.ts';

/** Parts, and what could not be found out. */
export interface InfrastructureParts {
  readonly parts: readonly InfrastructurePart[];
  readonly warnings: readonly { readonly code: 'infrastructure_unknown'; readonly message: string }[];
}

/** Looks at what runs; never rejects. */
export interface InfrastructureView {
  parts(): Promise<InfrastructureParts>;
}

/** Sorted by owner, kind and name. */
export function infrastructureRecord({ parts, warnings }: InfrastructureParts): InfrastructureRecord {
  const count = (state: InfrastructurePart['state']) => parts.filter((part) => part.state === state).length;
  return {
    summary: {
      resourceCount: parts.length,
      readyCount: count('ready'),
      driftedCount: count('drifted'),
      missingCount: count('missing'),
      orphanCount: count('orphan'),
    },
    resources: [...parts].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    warnings,
  };
}

const sortKey = ({ owner, kind, namespace, name }: InfrastructurePart): string =>
  [owner ?? '\uffff', kind, namespace, name].join('\u0000');
