import { FoldedDifference } from '../../differences/index.ts';
import { Panel } from '../../parts/index.ts';
import { onVersion } from './documents.ts';
import type { Merge } from './merge.ts';
import { editWords } from './words.ts';

/** What others changed meanwhile, what was changed here, and how both went together. */
export function MergeReport({ merge: { base, mine, theirs, version, hasConflict } }: { readonly merge: Merge }) {
  const words = editWords();
  const before = onVersion(base, version);
  return (
    <div class="merge-report" data-conflict={hasConflict}>
      <Panel title={words.threeWay}>
        <p role="status">{hasConflict ? words.conflicting : words.merged}</p>
        <FoldedDifference before={before} after={theirs} isOpen>
          {words.theirs}
        </FoldedDifference>
        <FoldedDifference before={before} after={onVersion(mine, version)} isOpen>
          {words.mine}
        </FoldedDifference>
      </Panel>
    </div>
  );
}
