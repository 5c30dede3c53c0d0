/**
 * Type URL of a node's last request: it leaves on purpose, and will not be back. The end of a stream does not show that, because a process that
 * dies ends its streams too. A control plane of an earlier release sees a type that it does not know, which it has nothing of.
 */
export const goodbyeType = 'type.googleapis.com/gatewright.v1.Goodbye';
