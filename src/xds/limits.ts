/** What one client may have us keep. Lengths are of UTF-16 code units, which for what a proxy sends are bytes. */
export const limits = {
  /** `node.id` and `node.cluster`. */
  idLength: 256,
  /** Versions that a node says of itself: cut behind it. */
  versionLength: 64,
  /** Of a type, in the variant by state of the world. */
  sotwVersionLength: 16_384,
  typeUrlLength: 256,
  /** Types on one stream. Envoy asks for about ten. */
  typesPerStream: 32,
  /** One resource name. */
  nameLength: 4_096,
  /** Names on one stream, of all types, with those that a reconnecting proxy says it has until it is answered. */
  namesPerStream: 400_000,
  nameTextPerStream: 32 * 1024 * 1024,
  /** How much of a rejection's text is read to find the cause: Envoy sends 4096 bytes at most. */
  nackTextRead: 16_384,
  /** What is kept and shown of it. */
  nackTextKept: 4_128,
  /** Streams that have not said who they are. Behind it the oldest gives way: a proxy takes milliseconds. */
  unidentifiedStreams: 2_000,
  /** Connections that never had a stream; likewise. */
  unusedConnections: 2_000,
  /** HTTP/2 streams on one connection. */
  streamsPerConnection: 256,
  /** Streams of nodes whose `node.cluster` names nothing that was published. */
  waitingStreams: 1_000,
  /** Nodes of one fleet that are listed after they were lost. */
  lostNodes: 200,
} as const;
