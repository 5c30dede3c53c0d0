/** The control plane cannot show who it is; the message says what to do. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly code = 'xds_identity';
}
