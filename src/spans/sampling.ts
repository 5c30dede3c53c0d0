/** Whether a trace is recorded where that is not decided yet: the same for all spans of one trace. `traceId`: 16 bytes. */
export const isRecorded = (traceId: Buffer, percent: number): boolean =>
  traceId.readUInt32BE(0) < (percent / 100) * 0x1_0000_0000;
