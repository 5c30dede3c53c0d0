import { type Kind, kinds } from '../../../gateway-api/index.ts';
import {
  appendObject,
  findIn,
  type ObjectRef,
  objectText,
  type Place,
  type PlacedIn,
  removeObjects,
  replaceObject,
} from '../edit/document-text.ts';
import { type FileContent, judgeContent } from '../file-content.ts';
import { type ParsedFile, parseManifests } from '../manifest.ts';
import { storeId } from '../object-store.ts';
import type { ObjectId, ObjectValidator } from '../validate/index.ts';

/** What is done with a text or an object whose size others choose: each in one go, with nothing but what is handed over. */
export type Job =
  | { readonly kind: 'parse'; readonly text: string }
  | { readonly kind: 'content'; readonly file: string; readonly text: string }
  | { readonly kind: 'find'; readonly text: string; readonly ref: ObjectRef }
  | { readonly kind: 'write'; readonly value: unknown; readonly options?: Parameters<typeof objectText>[1] }
  | { readonly kind: 'append'; readonly text: string; readonly value: unknown }
  | { readonly kind: 'replace'; readonly text: string; readonly place: Place; readonly value: unknown }
  | { readonly kind: 'remove'; readonly text: string; readonly places: readonly Place[] };

/** What each comes to. */
export interface JobResults {
  readonly parse: ParsedText;
  readonly content: FileContent;
  readonly find: PlacedIn | undefined;
  readonly write: string;
  readonly append: string;
  readonly replace: string;
  readonly remove: ReturnType<typeof removeObjects>;
}

/** The objects of a text, without the places that only a judgement needs. */
export interface ParsedText extends Pick<ParsedFile, 'errors' | 'isRejected'> {
  readonly values: readonly unknown[];
}

/** An object that rules compare another with. */
export type Asked = ObjectId & { readonly kind: Kind };

export interface JobTools {
  readonly validator: () => Promise<ObjectValidator>;
  /** What there is now of each, in their order. */
  readonly askOld: (asked: readonly Asked[]) => Promise<readonly unknown[]>;
}

/** Rejects with what the function behind the job throws. */
export async function doJob(job: Job, tools: JobTools): Promise<JobResults[Job['kind']]> {
  switch (job.kind) {
    case 'parse':
      return parseText(job.text);
    case 'content':
      return await contentOf(job, tools);
    case 'find':
      return findIn(job.text, job.ref);
    case 'write':
      return objectText(job.value, job.options);
    case 'append':
      return appendObject(job.text, job.value);
    case 'replace':
      return replaceObject(job.text, job.place, job.value);
    case 'remove':
      return removeObjects(job.text, job.places);
  }
}

function parseText(text: string): ParsedText {
  const { manifests, errors, isRejected } = parseManifests(text);
  return { values: manifests.map(({ value }) => value), errors, isRejected };
}

type ContentJob = Extract<Job, { readonly kind: 'content' }>;

async function contentOf({ file, text }: ContentJob, { validator: load, askOld }: JobTools): Promise<FileContent> {
  const validator = await load();
  const parsed = parseManifests(text);
  const asked = parsed.manifests.flatMap(({ value }) => validator.comparedWith(value) ?? []);
  const answers = asked.length > 0 ? await askOld(asked) : [];
  const olds = new Map(asked.map((one, index) => [storeId(one.kind, one), answers[index]]));
  return judgeContent(file, parsed, validator, (kind, id) => olds.get(storeId(kind, id)) as never);
}

/** The kind that this thread knows by the name: kinds are compared by identity. */
export const ownKind = ({ name }: Kind): Kind => kinds[name as keyof typeof kinds];
