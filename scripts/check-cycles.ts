/** Circles of imports: files that reach each other, be it by types only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, sourcesBelow } from './check-imports.ts';
import type { Findings } from './ratchet.ts';

/** What each file imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** The files in circles. */
export function checkCycles(root: string): Findings {
  const imports = new Map(
    ['src', 'bin']
      .flatMap((folder) => sourcesBelow(root, folder))
      .map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8')).map(({ target }) => target)]),
  );
  return { 'files in circles of imports': circlesOf(imports).flatMap(describe) };
}

const describe = (circle: readonly string[]) => circle.map((file) => `${file}: in a circle of ${circle.length} files`);

/** Each set of files that reach each other, more than one: Tarjan's strongly connected components. */
export function circlesOf(graph: ImportGraph): readonly (readonly string[])[] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  /** Returns the earliest file on the stack that the file reaches. */
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    stack.push(file);
    onStack.add(file);
    let earliest = own;
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) earliest = Math.min(earliest, visit(target));
      else if (onStack.has(target)) earliest = Math.min(earliest, order.get(target) as number);
    }
    if (earliest === own) {
      const circle = stack.splice(stack.indexOf(file));
      for (const member of circle) onStack.delete(member);
      if (circle.length > 1) circles.push(circle.sort());
    }
    return earliest;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}
