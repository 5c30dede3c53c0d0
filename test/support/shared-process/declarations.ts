interface Declaration {
  readonly file: string;
  readonly declare: () => void;
}

/**
 * Tests that files of a shared process have declared. AVA begins right after the first declaration, and takes none after
 * that; so they wait until all files are loaded.
 */
const declarations: Declaration[] = [];

export function declareLater(declaration: Declaration): void {
  declarations.push(declaration);
}

/** @throws that one of the files has declared nothing, as AVA does */
export function declareAll(files: readonly string[]): void {
  const declared = new Set(declarations.map(({ file }) => file));
  const empty = files.filter((file) => !declared.has(file));
  if (empty.length > 0) throw new Error(`no tests found in ${empty.join(', ')}`);
  for (const { declare } of declarations.splice(0)) declare();
}
