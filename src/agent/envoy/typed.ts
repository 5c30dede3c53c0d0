/** A message in JSON as `google.protobuf.Any` takes it. */
export const typed = (typeName: string, message: Readonly<Record<string, unknown>> = {}) => ({
  '@type': `type.googleapis.com/${typeName}`,
  ...message,
});
