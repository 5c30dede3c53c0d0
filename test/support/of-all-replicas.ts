import type { TestReplica } from './replica.ts';
import { untilFits } from './until.ts';

/** How an answer names a replica that it lacks. */
const isLeftOut = /did not answer|heard of is missing/;

/** What all replicas know. One that stands still for two or three seconds is left out of an answer, and named in its warnings. */
export const ofAllReplicas = (replica: Pick<TestReplica, 'json'>, path: string): ReturnType<TestReplica['json']> =>
  untilFits(
    `${path} of all replicas`,
    () => replica.json(path),
    ({ warnings }) => !warnings.some((warning: string) => isLeftOut.test(warning)),
  );
