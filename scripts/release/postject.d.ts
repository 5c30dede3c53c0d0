// The package has no types of its own.
declare module 'postject' {
  /** Puts a section with the content into an executable, and sets the marker that says so. */
  export function inject(
    file: string,
    section: string,
    content: Buffer,
    options: { readonly sentinelFuse: string },
  ): Promise<void>;
}
