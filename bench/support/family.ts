import { readdirSync, readFileSync } from 'node:fs';

/** The process and all that it and they have started, from /proc; the process alone where that is not there. */
export function familyOf(pid: number): readonly number[] {
  const children = childrenByParent();
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

function childrenByParent(): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const name of namesIn('/proc')) {
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
};

/** Undefined for one that has ended meanwhile. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may hold anything: the state, then the parent.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
