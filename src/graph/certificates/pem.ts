/** Certificates in one chain, the leaf included. Real ones have five at most; each is read when the object comes, and by each proxy. */
export const longestChain = 64;

/** Certificates of authorities in one object. The bundles of browsers have some hundreds. */
export const largestBundle = 1_000;

/** Bytes of one key in PEM. One of RSA with 8192 bits has 6,400. */
export const largestKey = 65_536;

/** The blocks of certificates in a text, as blocksOf finds them. */
export const certificateBlocks = (text: string, most: number): string[] => blocksOf('CERTIFICATE', text, most);

/** The same for lists of revoked certificates. */
export const revocationBlocks = (text: string, most: number): string[] => blocksOf('X509 CRL', text, most);

/**
 * The blocks of a kind in a text, what is around them left out: one more than `most` at most, which says that there are more. Looks at
 * each character a few times, whatever the text is; an expression that goes from each beginning to look for an end does not.
 */
function blocksOf(kind: string, text: string, most: number): string[] {
  const [begin, end] = [`-----BEGIN ${kind}-----`, `-----END ${kind}-----`];
  const blocks: string[] = [];
  for (let at = text.indexOf(begin); at >= 0 && blocks.length <= most; ) {
    const last = text.indexOf(end, at);
    if (last < 0) break;
    blocks.push(text.slice(at, last + end.length));
    at = text.indexOf(begin, last);
  }
  return blocks;
}
