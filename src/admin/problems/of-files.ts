import { type FileProblem, formatProblem } from '../../sources/index.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

export const ofFiles = ({ files }: Pick<AdminSources, 'files'>): Finding[] => files().map(fileFinding);

/** The place and the object are a part of the message, as editors and terminals link it. */
export const fileFinding = (problem: FileProblem): Finding => ({
  code: problem.severity === 'error' ? 'file_rejected' : 'file_ignored',
  object: { kind: 'File', namespace: '', name: problem.file },
  message: formatProblem(problem),
  since: problem.since,
});
