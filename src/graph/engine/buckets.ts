/** A value by its key, in the bucket of this name. */
export function insert<T>(index: Map<string, Map<string, T>>, bucket: string, key: string, value: T): void {
  const members = index.get(bucket);
  if (members) members.set(key, value);
  else index.set(bucket, new Map([[key, value]]));
}

/** Namespaces and Services come and go under names that never return: a bucket with nothing in it is not kept. */
export function drop<T>(index: Map<string, Map<string, T>>, bucket: string, key: string): void {
  const members = index.get(bucket);
  members?.delete(key);
  if (members?.size === 0) index.delete(bucket);
}
